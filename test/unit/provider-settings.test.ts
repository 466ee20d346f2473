import { expect, test } from 'vitest';
import { providerHosts, readProviders } from '../../src/shared/provider-settings.ts';

test('a provider of which nothing is set is not there, and what it needs to be told has defaults', () => {
  expect(readProviders({}).settings.dataForSeo).toBeNull();
  const { settings, problems } = readProviders({ DATAFORSEO_LOGIN: 'ann', DATAFORSEO_PASSWORD: 'pw' });
  expect(problems).toEqual([]);
  expect(settings.dataForSeo).toMatchObject({ login: 'ann', password: 'pw' });
  expect(settings.dataForSeo?.url.href).toBe('https://api.dataforseo.com/');
  expect(providerHosts(settings)).toContain('api.dataforseo.com:443');
});

test('a provider that is half set is refused, with the variables that are missing', () => {
  for (const [env, message] of [
    [
      { DATAFORSEO_LOGIN: 'ann', DATAFORSEO_PASSWORD: '' },
      /^DATAFORSEO_PASSWORD is missing, and DATAFORSEO_LOGIN/,
    ],
    [{ DATAFORSEO_URL: 'http://127.0.0.1:9' }, /^DATAFORSEO_LOGIN, DATAFORSEO_PASSWORD are missing/],
    [
      { DATAFORSEO_LOGIN: 'ann', DATAFORSEO_PASSWORD: 'pw', DATAFORSEO_URL: 'ftp://a' },
      /^DATAFORSEO_URL must be an http\(s\) URL/,
    ],
  ] as const) {
    const { problems } = readProviders(env);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(message);
  }
});

test('the hosts of base URLs are told with their ports', () => {
  const set = { DATAFORSEO_LOGIN: 'ann', DATAFORSEO_PASSWORD: 'pw', DATAFORSEO_URL: 'http://[::1]:8080/v3' };
  expect(providerHosts(readProviders(set).settings)).toContain('[::1]:8080');
});
