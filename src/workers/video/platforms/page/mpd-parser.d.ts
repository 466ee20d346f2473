/** The part of mpd-parser that is used; it brings no types. */
declare module 'mpd-parser' {
  interface MpdPart {
    resolvedUri: string;
    map?: { resolvedUri: string };
  }
  interface MpdPlaylist {
    segments: MpdPart[];
    /** The index of a representation that is one file. */
    sidx?: MpdPart;
    /** By key system; missing where nothing is encrypted. */
    contentProtection?: object;
    attributes: {
      NAME?: string;
      BANDWIDTH?: number;
      CODECS?: string;
      'FRAME-RATE'?: number;
      RESOLUTION?: { width: number; height: number };
    };
    language?: string;
    endList?: boolean;
  }
  interface MpdRendition {
    language?: string;
    playlists: MpdPlaylist[];
  }
  interface MpdManifest {
    duration?: number;
    endList?: boolean;
    /** One of each period. */
    timelineStarts: object[];
    playlists: MpdPlaylist[];
    mediaGroups: Record<'AUDIO' | 'SUBTITLES', Record<string, Record<string, MpdRendition>>>;
  }
  export function parse(manifest: string, options: { manifestUri: string }): MpdManifest;
}
