/** A language of captions, as platforms write it: yt-dlp puts ids of tracks behind it. */
export const captionTagForm = /^[A-Za-z]{2,20}([-_][A-Za-z0-9]{1,20}){0,8}$/;
