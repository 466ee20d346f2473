import type { Protocol } from 'puppeteer-core';

export type Device = 'desktop' | 'mobile';

/** A page's user agent: Chrome's, without the word "Headless", which many sites answer with a wall. */
export function userAgentOf(chromiumVersion: string, device: Device): string {
  const system = device === 'mobile' ? 'Linux; Android 10; K' : 'X11; Linux x86_64';
  const suffix = device === 'mobile' ? ' Mobile' : '';
  const product = `Chrome/${majorOf(chromiumVersion)}.0.0.0${suffix}`;
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${product} Safari/537.36`;
}

/** The client hints (`Sec-CH-UA…`) that go with it; Chromium's own would say "HeadlessChrome" beside it. */
export function hintsOf(chromiumVersion: string, device: Device): Protocol.Emulation.UserAgentMetadata {
  const version = majorOf(chromiumVersion);
  return {
    brands: [
      { brand: 'Chromium', version },
      { brand: 'Not_A Brand', version: '8' },
    ],
    platform: device === 'mobile' ? 'Android' : 'Linux',
    platformVersion: device === 'mobile' ? '10' : '',
    architecture: device === 'mobile' ? '' : 'x86',
    model: device === 'mobile' ? 'K' : '',
    mobile: device === 'mobile',
  };
}

function majorOf(version: string): string {
  return version.split('.')[0] ?? '';
}
