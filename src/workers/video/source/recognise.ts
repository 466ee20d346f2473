import { findPeertubeId } from '../platforms/peertube/video-id.ts';
import { findYoutubeId, isYoutube } from '../platforms/youtube/video-id.ts';

export interface Recognised {
  platform: 'youtube' | 'peertube' | 'page';
  /** Same for every form of the URL. */
  id: string;
}

/** By the URL alone. A PeerTube that turns out to be none is a page. */
export function recognise(url: URL, youtubeUrl: string): Recognised {
  const youtube = findYoutubeId(url, youtubeUrl);
  if (youtube !== null) return { platform: 'youtube', id: youtube };
  const peertube = findPeertubeId(url);
  if (peertube !== null) return { platform: 'peertube', id: `${url.origin} ${peertube}` };
  const bare = new URL(url);
  bare.hash = '';
  // A list, a channel, or an id that is none: nothing that its page shows is to be taken for the video.
  if (isYoutube(url, youtubeUrl)) return { platform: 'youtube', id: bare.href };
  return { platform: 'page', id: bare.href };
}
