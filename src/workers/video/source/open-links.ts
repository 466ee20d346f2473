import type { EgressLease } from '../../../shared/egress/types.ts';
import type { Extraction } from '../platforms/platform.ts';

const closed = 'The platform names an address that is not open to requests from here.';

/**
 * What a platform names is judged by the egress rules before anybody fetches it or is told of it: a page may well
 * name an address inside of our network.
 */
export function keepOpenLinks(extraction: Extraction, lease: Pick<EgressLease, 'failureOf'>): Extraction {
  const isOpen = (url: string): boolean => {
    const code = lease.failureOf(url)?.code;
    return code !== 'url_not_allowed' && code !== 'invalid_request';
  };
  const formats = extraction.formats.map((format) =>
    format.url === null || isOpen(format.url)
      ? format
      : { ...format, url: null, downloadable: false, reason: closed },
  );
  const captions = extraction.captions.filter(({ url }) => isOpen(url));
  const thumbnails = extraction.info.thumbnails.filter(({ url }) => isOpen(url));
  const { thumbnail } = extraction.info;
  const info = {
    ...extraction.info,
    thumbnails,
    thumbnail: thumbnail !== null && isOpen(thumbnail) ? thumbnail : (thumbnails.at(-1)?.url ?? null),
    captionLanguages: captions.map(({ language, label, kind }) => ({ language, label, kind })),
  };
  return { ...extraction, info, formats, captions };
}
