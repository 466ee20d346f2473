import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ProviderSettings } from '../../src/shared/ai/ai-settings.ts';
import type { ProviderName } from '../../src/shared/ai/model-list.ts';
import { createFetch } from '../../src/shared/egress/fetch.ts';
import { AppError } from '../../src/shared/errors.ts';
import { isUnbilled, tally } from '../../src/workers/ai/billing.ts';
import { generateObject } from '../../src/workers/ai/generate-object.ts';
import type { GenerativeModel } from '../../src/workers/ai/model.ts';
import { openProviderModel } from '../../src/workers/ai/provider-model.ts';
import { createSdkModel } from '../../src/workers/ai/sdk-model.ts';
import { findAnswer } from '../../src/workers/jobs/outcomes.ts';
import { withoutThoughts } from '../../src/workers/ai/thoughts.ts';
import { openLoopbackDoor } from '../support/egress-origin.ts';
import { startModelServer } from '../support/model-server.ts';
import { startConnectProxy } from '../support/upstream-proxy.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());
beforeEach(() => {
  server.calls.length = 0;
  server.faults.length = 0;
  server.answer = () => '{"word": "yes"}';
});

const schema = z.object({ word: z.string() });

function modelOf(
  name: ProviderName,
  own: Partial<ProviderSettings> & { timeoutMs?: number; ask?: typeof fetch } = {},
): GenerativeModel {
  const { timeoutMs = 10_000, ask = fetch, ...settings } = own;
  const provider: ProviderSettings = {
    name,
    baseUrl: `${server.origin}/${name === 'google' ? 'v1beta' : 'v1'}`,
    apiKey: 'secret-key',
    speaksChatCompletions: name === 'compatible',
    isPrivate: true,
    ...settings,
  };
  const sdkModel = openProviderModel(provider, 'small', ask);
  return createSdkModel({
    id: `${name}/small`,
    provider: name,
    contextTokens: null,
    local: true,
    withSdkModel: (_, run) => run(sdkModel),
    timeoutMs,
  });
}

const asked = (signal: AbortSignal = new AbortController().signal) => ({
  system: 'Answer.',
  prompt: 'Is it so?',
  maxOutputTokens: 100,
  signal,
});

describe.each([
  ['openai', 'responses'],
  ['compatible', 'chat'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
] as const)('a model of %s', (provider, protocol) => {
  it('answers an object, and tells the tokens', async () => {
    const { object, usage } = await generateObject(modelOf(provider), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
    expect(server.calls).toMatchObject([{ protocol, key: 'secret-key', model: 'small', hasSchema: true }]);
    expect(server.calls[0]?.store).toBe(provider === 'openai' ? false : undefined);
    expect(server.calls[0]?.system).toContain('Answer.');
    expect(server.calls[0]?.prompt).toContain('Is it so?');
  });

  it('is asked again where it is busy, after the time that it names', async () => {
    server.faults.push(
      { status: 429, headers: { 'retry-after': '0' } },
      { status: 503, headers: { 'retry-after': '0' } },
    );
    const { object } = await generateObject(modelOf(provider), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls).toHaveLength(3);
  });

  it('that stays busy ends in `upstream_failed`, with its Retry-After', async () => {
    const headers = { 'retry-after': '0', 'retry-after-ms': '0' };
    server.faults.push(...Array.from({ length: 4 }, () => ({ status: 429, headers })));
    const answer = generateObject(modelOf(provider), { ...asked(), schema });
    await expect(answer).rejects.toMatchObject({ code: 'upstream_failed', retryAfterSeconds: 0 });
    expect(server.calls).toHaveLength(4);
  });

  it.each([
    ['seconds', '120', 120],
    ['a date', new Date(Date.now() + 7_200_000).toUTCString(), 7_200],
  ])('that wants to be left alone for long, in %s, is not asked again', async (_, retryAfter, seconds) => {
    server.faults.push({ status: 429, headers: { 'retry-after': retryAfter } });
    const failure = await modelOf(provider)
      .generate(asked())
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'upstream_failed' });
    // A date is counted from now, and this machine may be slow.
    const { retryAfterSeconds = 0 } = failure as { retryAfterSeconds?: number };
    expect(retryAfterSeconds).toBeLessThanOrEqual(seconds);
    expect(retryAfterSeconds).toBeGreaterThan(seconds / 2);
    expect(server.calls).toHaveLength(1);
  });

  it('that refuses the key is `not_configured`, and the key is not told', async () => {
    server.faults.push({ status: 401 });
    const failure = await generateObject(modelOf(provider), { ...asked(), schema }).catch(
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ code: 'not_configured' });
    expect((failure as Error).message).toContain('_API_KEY');
    expect((failure as Error).message).not.toContain('secret-key');
    expect(server.calls).toHaveLength(1);
  });

  it('whose answer breaks off, or is no JSON of its protocol, ends in `upstream_failed`', async () => {
    server.faults.push(
      ...Array.from({ length: 4 }, () => ({ breaksOff: true, headers: { 'retry-after': '0' } })),
    );
    const model = modelOf(provider, { timeoutMs: 3_000 });
    await expect(model.generate(asked())).rejects.toMatchObject({ code: 'upstream_failed' });
    server.faults.length = 0;
    server.faults.push({ body: '{"choices": [' });
    await expect(model.generate(asked())).rejects.toMatchObject({ code: 'upstream_failed' });
  });

  it('that redirects is not followed', async () => {
    server.faults.push({ status: 307, headers: { location: `${server.origin}/v1/elsewhere` }, body: '' });
    await expect(modelOf(provider).generate(asked())).rejects.toMatchObject({
      code: expect.stringMatching(/^(not_configured|upstream_failed)$/),
    });
    expect(server.calls).toHaveLength(1);
  });
});

describe('a model that answers no JSON', () => {
  it('is understood where its text holds the object', async () => {
    server.answer = () => 'Sure! Here it is:\n```json\n{"word": "fenced"}\n```\nAnything else?';
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'fenced' });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['behind its thoughts', '<think>I could say {"word": "no"}.</think>{"word": "yes"}'],
    ['beside other braces', 'By the schema {word}: {"word": "yes"} I hope {this} helps.'],
    ['after a draft', 'First {"word": "no"}, better {"word": "yes"}'],
    ['though it names the mark of thoughts', '{"word": "yes", "of": "a </think> in it"}'],
    ['with small faults', '{"word": "yes",}'],
    ['over several lines', '```\n{\n  word: "yes"\n}\n```'],
  ])('is understood %s', async (_, text) => {
    server.answer = () => text;
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls).toHaveLength(1);
  });

  it('gets one attempt to mend what it said, which counts', async () => {
    const answers = ['The word is yes.', '{"word": "mended"}'];
    server.answer = () => answers.shift() ?? '';
    const { object, usage } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'mended' });
    expect(server.calls).toHaveLength(2);
    expect(server.calls[1]?.prompt).toContain('The word is yes.');
    expect(usage?.inputTokens).toBeGreaterThan(100);
  });

  it('ends in `upstream_failed` where it cannot mend it either', async () => {
    server.answer = () => '{"wrong": true}';
    const answer = generateObject(modelOf('compatible'), { ...asked(), schema });
    await expect(answer).rejects.toMatchObject({ code: 'upstream_failed', isFinal: true });
    expect(server.calls).toHaveLength(2);
  });

  it('of a server that knows no schemas is asked for text', async () => {
    server.faults.push({ status: 400 });
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls.map(({ hasSchema }) => hasSchema)).toEqual([true, false]);
  });
});

describe('an answer that is none', () => {
  const bodyOf = (content: string | null, reason: string | null, own: Record<string, unknown> = {}) => ({
    body: JSON.stringify({
      id: '1',
      object: 'chat.completion',
      created: 1,
      model: 'small',
      choices: [{ index: 0, message: { role: 'assistant', content, ...own }, finish_reason: reason }],
    }),
  });

  it.each([
    ['empty', bodyOf('', 'stop'), 'answered nothing'],
    ['a refusal', bodyOf(null, 'stop', { refusal: 'I cannot help with that.' }), 'answered nothing'],
    ['withheld', bodyOf('', 'content_filter'), 'content filter'],
    ['withheld in its middle', bodyOf('{"wo', 'content_filter'), 'content filter'],
  ])('is not mended: %s', async (_, fault, words) => {
    server.faults.push(fault);
    const answer = generateObject(modelOf('compatible'), { ...asked(), schema });
    await expect(answer).rejects.toMatchObject({ code: 'upstream_failed', isFinal: true });
    await expect(answer).rejects.toThrow(words);
    expect(server.calls).toHaveLength(1);
  });

  it('is asked for again where it was cut off, and not made up from its beginning', async () => {
    server.faults.push(bodyOf('{"word": "y', 'length'));
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls[1]?.prompt).toBe(server.calls[0]?.prompt);
    const roomy = { ...modelOf('compatible'), contextTokens: 8_192 };
    const limits: number[] = [];
    const generate: GenerativeModel['generate'] = (request) => {
      limits.push(request.maxOutputTokens);
      return roomy.generate(request);
    };
    server.faults.push(bodyOf('{"word": "y', 'length'));
    await generateObject({ ...roomy, generate }, { ...asked(), schema });
    expect(limits).toEqual([100, 400]);
    server.calls.length = 0;
    server.faults.push(bodyOf('{"word": "y', 'length'), bodyOf('', 'length'));
    await expect(generateObject(modelOf('compatible'), { ...asked(), schema })).rejects.toThrow('length');
    expect(server.calls).toHaveLength(2);
  });

  const half = '{"word": "yes", "more": [{"word": "no"}';
  it.each([
    ['for a reason of its own', bodyOf(half, 'server_overloaded')],
    ['to call a tool', bodyOf(half, 'tool_calls')],
    ['without a word', bodyOf(half, null)],
  ])('is asked for again where it breaks off %s, and its half is no answer', async (_, fault) => {
    server.faults.push(fault);
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls).toHaveLength(2);
    expect(server.calls[1]?.prompt).toBe(server.calls[0]?.prompt);
  });

  const draft = '{"word": "no"}';
  const cuts = ['length', null] as const;
  it.each<[string, string, string | null]>([
    ...cuts.map((reason): [string, string, string | null] => [
      'thinks',
      `<think>Perhaps ${draft} but no, I`,
      reason,
    ]),
    ...cuts.map((reason): [string, string, string | null] => [
      'has thought',
      `<think>Or ${draft}?</think>`,
      reason,
    ]),
    ...cuts.map((reason): [string, string, string | null] => [
      'writes',
      `<think>Or ${draft}?</think>\n{"word": "ye`,
      reason,
    ]),
    ['is to write', `Draft: ${draft}\nFinal: `, 'length'],
    ['writes words', `Draft: ${draft} I can {do} better: {"wo`, 'length'],
  ])(
    'is asked for again where it was cut off while it %s, and no draft is one: %j',
    async (_, said, reason) => {
      server.faults.push(bodyOf(said, reason));
      const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
      expect(object).toEqual({ word: 'yes' });
      expect(server.calls).toHaveLength(2);
      expect(server.calls[1]?.prompt).toBe(server.calls[0]?.prompt);
      expect(server.calls[1]?.system).toContain('cut off');
    },
  );

  it.each([`<think>Or ${draft}?</think>\nI cannot do this.`, `Or ${draft}?</think>\nI cannot do this.`])(
    'is no draft of its thoughts where it says something else: %j',
    async (said) => {
      server.faults.push(bodyOf(said, 'stop'));
      const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
      expect(object).toEqual({ word: 'yes' });
      expect(server.calls[1]?.prompt).toContain('no instructions:\n\nI cannot do this.\n\n');
    },
  );

  it('is asked for again where it has only thought, and is not made up from nothing', async () => {
    server.faults.push(bodyOf(`<think>Or ${draft}?</think>`, 'stop'));
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls[1]?.prompt).toBe(server.calls[0]?.prompt);
  });

  it.each([
    ['beside nothing else', '{"word": "yes"}'],
    ['in a fence', '<think>Or no?</think>```json\n{"word": "yes"}\n```'],
    ['after a draft', `First ${draft}, better {"word": "yes"}`],
  ])('is one where its end is that of its object, %s', async (_, content) => {
    server.faults.push(bodyOf(content, 'length'));
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls).toHaveLength(1);
  });

  it.each([
    ['whole, whatever its ending is called', '{"word": "yes"}', 'server_overloaded'],
    ['of a server that tells no ending', 'Sure: {"word": "yes",}', null],
    ['of a server with its own word for its end', 'Sure: {"word": "yes",}', 'eos_token'],
  ])('is one where it is %s', async (_, content, reason) => {
    server.faults.push(bodyOf(content, reason));
    const { object } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(object).toEqual({ word: 'yes' });
    expect(server.calls).toHaveLength(1);
  });

  it('is mended as a whole, or else asked for again', async () => {
    const long = `{"word": 1, "more": "${'x'.repeat(9_000)}"}`;
    server.faults.push(bodyOf(long, 'stop'));
    await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(server.calls[1]?.prompt).toBe(server.calls[0]?.prompt);
    server.calls.length = 0;
    server.faults.push(bodyOf(`<think>${'x'.repeat(9_000)}</think>{"word": 1}`, 'stop'));
    await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(server.calls[1]?.prompt).toContain('no instructions:\n\n{"word": 1}\n\n');
  });

  it('tells no tokens where its provider counts none', async () => {
    server.faults.push(bodyOf('{"word": "yes"}', 'stop'));
    const { usage } = await generateObject(modelOf('compatible'), { ...asked(), schema });
    expect(usage).toBeNull();
  });
});

it.each([
  [
    'google',
    400,
    '{"error": {"status": "INVALID_ARGUMENT", "details": [{"reason": "API_KEY_INVALID"}]}}',
    'GOOGLE_API_KEY',
  ],
  ['anthropic', 400, '{"error": {"message": "Your credit balance is too low to access the API."}}', 'credit'],
  ['openai', 429, '{"error": {"code": "insufficient_quota"}}', 'credit'],
] as const)(
  'of %s that says by %i what its operator must mend is `not_configured`',
  async (provider, status, body, words) => {
    server.faults.push({ status, body });
    const answer = generateObject(modelOf(provider), { ...asked(), schema });
    await expect(answer).rejects.toMatchObject({
      code: 'not_configured',
      detail: expect.stringContaining(words),
    });
    expect(server.calls).toHaveLength(1);
  },
);

it('has taken nothing where it was refused or not reached, and perhaps something where its answer did not come', async () => {
  const failureOf = (model: GenerativeModel) => model.generate(asked()).catch((error: unknown) => error);
  server.faults.push({ status: 400 });
  expect(isUnbilled(await failureOf(modelOf('compatible')))).toBe(true);
  const ask = async () => {
    throw new TypeError('fetch failed', { cause: new AppError('egress_proxy_failed', 'It is away.') });
  };
  expect(isUnbilled(await failureOf(modelOf('compatible', { ask })))).toBe(true);
  server.faults.push({ hangs: true });
  expect(isUnbilled(await failureOf(modelOf('compatible', { timeoutMs: 200 })))).toBe(false);
  server.faults.push({ body: '{"choices": [' });
  expect(isUnbilled(await failureOf(modelOf('compatible')))).toBe(false);
});

it('has perhaps taken something where it was refused after an answer that did not come', async () => {
  let calls = 0;
  const ask: typeof fetch = async (...request) => {
    if (calls++ > 0) return await fetch(...request);
    throw new TypeError('fetch failed', { cause: new AppError('target_timeout', 'It was silent.') });
  };
  server.faults.push({ status: 429, headers: { 'retry-after': '120' } });
  const failure = await modelOf('compatible', { ask })
    .generate(asked())
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: 'upstream_failed', retryAfterSeconds: 120 });
  expect([calls, isUnbilled(failure)]).toEqual([2, false]);
});

it('has taken nothing where it is given up while it waits to be asked again', async () => {
  server.faults.push({ status: 429, headers: { 'retry-after': '30' } });
  const late = await modelOf('compatible', { timeoutMs: 1_000 })
    .generate(asked())
    .catch((error: unknown) => error);
  expect(late).toMatchObject({ code: 'upstream_failed' });
  expect(isUnbilled(late)).toBe(true);
  const reason = new Error('canceled');
  const early = await modelOf('compatible')
    .generate(asked(AbortSignal.abort(reason)))
    .catch((error: unknown) => error);
  expect([isUnbilled(early), isUnbilled(reason)]).toEqual([true, false]);
  expect(early).toMatchObject({ cause: reason });
});

it('tells what its answers have taken also where another call of it fails', async () => {
  const tallied = tally(modelOf('compatible'));
  const { usage } = await tallied.model.generate(asked());
  server.faults.push({ body: '{"choices": [' });
  await expect(tallied.model.generate(asked())).rejects.toThrow();
  expect(tallied.used()).toEqual(usage);
});

it('says of a failure what its service has said, and not what it has answered to a user', () => {
  const failure = (statusCode: number) =>
    new AppError('upstream_failed', 'It failed.', {
      cause: Object.assign(new Error('no JSON'), { statusCode, responseBody: 'words' }),
    });
  expect(findAnswer(failure(500))).toEqual({ status: 500, answer: 'words' });
  expect(findAnswer(failure(200))).toBeNull();
});

it('writes its answer in prose without what it thought', () => {
  const texts = ['<think>Hm.</think>\n\nAll is well.', 'Hm.\n</thinking> All is well.', 'All is well.'];
  expect(texts.map(withoutThoughts)).toEqual(['All is well.', 'All is well.', 'All is well.']);
  expect(withoutThoughts('<think>Hm, and')).toBe('');
  expect(withoutThoughts('<think>a</think>\n<think>b</think>\nAll is well.')).toBe('All is well.');
  expect(withoutThoughts('<think>They ask for <think> here.</think>All is well.')).toBe('All is well.');
  const quoting = 'It shows the tag <think> and its end </think> as text.';
  expect(withoutThoughts(quoting)).toBe(quoting);
});

it('needs no key where the server asks for none', async () => {
  await modelOf('compatible', { apiKey: null }).generate(asked());
  expect(server.calls[0]?.key).toBeNull();
});

it('is asked through the proxy of EGRESS_PROXY, and not at all where that is dead', async () => {
  await using proxy = await startConnectProxy();
  await using door = openLoopbackDoor({ proxies: [`*=http://127.0.0.1:${proxy.port}`] });
  const { host } = new URL(server.origin);
  const answer = async () => {
    await using lease = door.openLease({ hosts: [host] });
    return await modelOf('compatible', { ask: createFetch(lease) }).generate(asked());
  };
  await answer();
  expect([proxy.asked, server.calls.length]).toEqual([[host], 1]);
  await proxy[Symbol.asyncDispose]();
  await expect(answer()).rejects.toMatchObject({
    code: 'upstream_failed',
    detail: expect.stringContaining('EGRESS_PROXY'),
  });
  expect(server.calls).toHaveLength(1);
}, 60_000);

it('is given up at its time limit', async () => {
  server.faults.push({ hangs: true });
  const answer = modelOf('compatible', { timeoutMs: 200 }).generate(asked());
  await expect(answer).rejects.toMatchObject({
    code: 'upstream_failed',
    detail: expect.stringContaining('0.2 s'),
  });
});

it('ends when its job does', async () => {
  server.faults.push({ hangs: true });
  const job = new AbortController();
  const answer = modelOf('compatible').generate(asked(job.signal));
  job.abort(new Error('canceled'));
  await expect(answer).rejects.toThrow('canceled');
});
