import type { FoundFormat } from './platform.ts';

/** A format of which nothing is known but where it is. */
export function emptyFormat(id: string, url: string, kind: FoundFormat['kind']): FoundFormat {
  return {
    id,
    kind,
    container: null,
    width: null,
    height: null,
    fps: null,
    videoCodec: null,
    audioCodec: null,
    bitrateKbps: null,
    sizeBytes: null,
    sizeIsEstimate: false,
    hdr: null,
    language: null,
    protocol: url.startsWith('https:') ? 'https' : 'http',
    downloadable: true,
    reason: null,
    url,
    headers: {},
    boundToAddress: false,
  };
}
