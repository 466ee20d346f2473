const hosts = /^((www|m|music|gaming)\.)?youtube(-nocookie)?\.com$/;
const shortHosts = /^(www\.)?youtu\.be$/;
/** Of the same length are the names of embedded lists and channels: `/embed/videoseries?list=`. */
const idForm = /^(?!videoseries$|live_stream$)[\w-]{11}$/;

/** `watch?v=`, `/shorts/`, `/embed/`, `/live/`, `/v/`, `/e/` and youtu.be. */
export function findYoutubeId(url: URL, youtubeUrl: string): string | null {
  const isShort = shortHosts.test(url.hostname);
  if (!isShort && !hosts.test(url.hostname) && url.host !== new URL(youtubeUrl).host) return null;
  const [, first = '', second = ''] = url.pathname.split('/');
  const named = isShort
    ? first
    : /^(shorts|embed|live|v|e)$/.test(first)
      ? second
      : url.searchParams.get('v');
  return named !== null && idForm.test(named) ? named : null;
}
