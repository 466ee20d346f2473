const hosts = /^((www|m|music|gaming)\.)?youtube(-nocookie)?\.com$/;
const shortHosts = /^(www\.)?youtu\.be$/;
/** Of the same length are the names of embedded lists and channels: `/embed/videoseries?list=`. */
const idForm = /^(?!videoseries$|live_stream$)[\w-]{11}$/;

export function isYoutube(url: URL, youtubeUrl: string): boolean {
  const { hostname, host } = url;
  return shortHosts.test(hostname) || hosts.test(hostname) || host === new URL(youtubeUrl).host;
}

/** `watch?v=`, `/shorts/`, `/embed/`, `/live/`, `/v/`, `/e/` and youtu.be. */
export function findYoutubeId(url: URL, youtubeUrl: string): string | null {
  if (!isYoutube(url, youtubeUrl)) return null;
  const isShort = shortHosts.test(url.hostname);
  const [, first = '', second = ''] = url.pathname.split('/');
  const named = isShort
    ? first
    : /^(shorts|embed|live|v|e)$/.test(first)
      ? second
      : url.searchParams.get('v');
  return named !== null && idForm.test(named) ? named : null;
}
