import type { FoundFormat } from './platform.ts';

/** Why a playlist is not handed out through a tunnel, which carries one file. */
export const boundPlaylist = 'A playlist whose links work from the address of this server only.';

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
