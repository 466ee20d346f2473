import { text } from 'node:stream/consumers';

import { type Origin, startOrigin } from './egress-origin.ts';

/** Answers of InnerTube's shape, made up. */
export interface YoutubeStandIn extends Origin {
  /** Endpoints that were asked so far, such as `player`. */
  asked: string[];
  /** Videos of a test's own, by id. */
  talks: Map<string, Talk>;
}

/** What differs from the made-up talk that every other video is. */
export interface Talk {
  lengthSeconds: number;
  /** Default: where the stand-in's one link leads. */
  mediaUrl?: string;
  chapters: [title: string, startSeconds: number][];
  /** Lines that speech recognition has heard. */
  heard: [startSeconds: number, durationSeconds: number, text: string][];
}

const madeUpTalk: Talk = {
  lengthSeconds: 12,
  chapters: [
    ['Beginning', 0],
    ['End', 6],
  ],
  heard: [
    [0, 4, 'so here'],
    [2, 4, 'we are'],
  ],
};

const runs = (words: string) => ({ runs: [{ text: words }] });

/** As a player script is built, as far as links are made of ciphered ones by it. */
const playerScript = `'use strict';var _yt_player={};(function(g){
g.Ya=class{constructor(a){this.parts={};for(let b of a.split("?")[1].split("&")){let c=b.split("=");this.parts[c[0]]=c[1]}this.isMade=!1}
set(a,b){this.parts[a]=b}
get(a){this.make();return this.parts[a]}
make(){if(!this.isMade){this.isMade=!0;this.parts.n&&(this.parts.n=this.parts.n.split("").reverse().join(""))}}};
var Za=function(a,b="",c=""){a=new g.Ya(a);a.set("alr","yes");c&&a.set(b,encodeURIComponent(c.slice(3).split("").reverse().join("")));return a};
var Qa=function(){return{signatureTimestamp:20321}};
})(_yt_player);`;

/** Makes \`sig=FEDCBA\` and \`n=54321\`, which the link works with. */
const cipherOf = (mediaUrl: string): string => {
  const url = new URL('/signed/slow.mp4?n=12345', mediaUrl).href;
  return new URLSearchParams({ s: 'xyzABCDEF', sp: 'sig', url }).toString();
};

function playerOf(videoId: string, talk: Talk, mediaUrl: string, origin: string): object {
  const refused: Record<string, object> = {
    private0000: { status: 'LOGIN_REQUIRED', reason: 'This is a private video.' },
    adults00000: { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm your age' },
    country0000: {
      status: 'UNPLAYABLE',
      reason: 'The uploader has not made this video available in your country',
    },
    gone0000000: { status: 'ERROR', reason: 'This video is unavailable' },
    'by-yt-dlp00': { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm you’re not a bot' },
    robots00000: { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm you’re not a bot' },
  };
  const playability = refused[videoId];
  if (playability !== undefined) return { playabilityStatus: playability };
  const live = videoId === 'live0000000';
  if (videoId === 'premiere000')
    return {
      playabilityStatus: { status: 'LIVE_STREAM_OFFLINE', reason: 'Premieres in 2 hours' },
      videoDetails: { videoId, title: 'A made-up talk', lengthSeconds: '0', isUpcoming: true },
    };
  return {
    playabilityStatus: { status: 'OK' },
    videoDetails: {
      videoId,
      title: 'A made-up talk',
      lengthSeconds: live ? '0' : String(talk.lengthSeconds),
      isLive: live,
      channelId: 'UCmadeup',
      author: 'Ada',
      shortDescription: 'About things',
      viewCount: '4711',
      keywords: ['things', 'talk'],
      thumbnail: { thumbnails: [{ url: `${origin}thumb.jpg`, width: 320, height: 180 }] },
    },
    streamingData: {
      expiresInSeconds: '3600',
      formats: [
        {
          itag: 18,
          ...(videoId === 'ciphered000'
            ? { signatureCipher: cipherOf(mediaUrl) }
            : { url: talk.mediaUrl ?? mediaUrl }),
          mimeType: 'video/mp4; codecs="avc1.42001E, mp4a.40.2"',
          bitrate: 400_000,
          width: 160,
          height: 120,
          fps: 10,
          qualityLabel: '120p',
        },
      ],
      adaptiveFormats: [
        {
          itag: 140,
          mimeType: 'audio/mp4; codecs="mp4a.40.2"',
          bitrate: 128_000,
          contentLength: '1000',
          audioQuality: 'X',
        },
        {
          itag: 137,
          url: 'http://10.0.0.1/secret',
          mimeType: 'video/mp4; codecs="avc1.640028"',
          bitrate: 1,
          width: 1920,
          height: 1080,
        },
      ],
    },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: [
          {
            baseUrl: `https://www.youtube.com/api/timedtext?v=${videoId}&lang=en`,
            name: runs('English'),
            languageCode: 'en',
            kind: 'asr',
          },
          {
            baseUrl: `https://www.youtube.com/api/timedtext?v=${videoId}&lang=de`,
            name: runs('German'),
            languageCode: 'de',
          },
        ],
      },
    },
  };
}

const microformat = {
  playerMicroformatRenderer: {
    likeCount: '12',
    category: 'Education',
    publishDate: '2024-05-01T10:00:00+00:00',
    isFamilySafe: true,
    isUnlisted: false,
    ownerProfileUrl: 'http://www.youtube.com/@ada',
  },
};

function nextOf(videoId: string, { chapters }: Talk): object {
  const chapter = (title: string, start: number) => ({
    macroMarkersListItemRenderer: {
      title: { simpleText: title },
      onTap: { watchEndpoint: { startTimeSeconds: start } },
    },
  });
  const message = { messageRenderer: { text: runs('Comments are turned off.') } };
  const continuation = {
    continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: 'threads' } } },
  };
  const section = {
    sectionIdentifier: 'comment-item-section',
    contents: [videoId === 'nocomments0' ? message : continuation],
  };
  const panel = {
    panelIdentifier: 'engagement-panel-macro-markers-description-chapters',
    content: { items: chapters.map(([title, start]) => chapter(title, start)) },
  };
  return {
    contents: { contents: [{ itemSectionRenderer: section }] },
    engagementPanels: [{ engagementPanelSectionListRenderer: panel }],
  };
}

function commentsOf(token: string): object {
  const entity = (id: string, isCreator: boolean) => ({
    commentEntityPayload: {
      key: `key-${id}`,
      properties: { commentId: id, content: { content: `Words of ${id}` }, publishedTime: '2 years ago' },
      author: { channelId: `UC${id}`, displayName: `@${id}`, isCreator },
      toolbar: { likeCountNotliked: '1.2K' },
    },
  });
  const isThreads = token === 'threads';
  const replies = {
    commentRepliesRenderer: {
      contents: [
        { continuationItemRenderer: { continuationEndpoint: { continuationCommand: { token: 'replies' } } } },
      ],
    },
  };
  const thread = {
    commentThreadRenderer: {
      commentViewModel: { commentViewModel: { commentKey: 'key-first', pinnedText: 'Pinned by @ada' } },
      replies,
    },
  };
  const header = { commentsHeaderRenderer: { countText: runs('1,234 Comments') } };
  const items = isThreads ? [header, thread] : [{ commentViewModel: { commentKey: 'key-reply' } }];
  return {
    onResponseReceivedEndpoints: [{ appendContinuationItemsAction: { continuationItems: items } }],
    frameworkUpdates: {
      entityBatchUpdate: { mutations: [{ payload: entity(isThreads ? 'first' : 'reply', isThreads) }] },
    },
  };
}

const searchAnswer = {
  contents: [
    { showingResultsForRenderer: { correctedQuery: runs('things') } },
    {
      videoRenderer: {
        videoId: 'abcdefghijk',
        title: runs('A made-up talk'),
        lengthText: { simpleText: '1:00:12' },
        viewCountText: { simpleText: '4,711 views' },
        publishedTimeText: { simpleText: '3 days ago' },
        ownerText: {
          runs: [
            {
              text: 'Ada',
              navigationEndpoint: { browseEndpoint: { browseId: 'UCmadeup', canonicalBaseUrl: '/@ada' } },
            },
          ],
        },
        thumbnail: { thumbnails: [] },
      },
    },
  ],
};

const captionsOf = ({ heard }: Talk): object => ({
  wireMagic: 'pb3',
  events: heard.map(([start, duration, utf8]) => ({
    tStartMs: start * 1_000,
    dDurationMs: duration * 1_000,
    segs: [{ utf8 }],
  })),
});

interface Asked {
  context?: { client?: { clientName?: string } };
  videoId?: string;
  continuation?: string;
}

function answerOf(endpoint: string, body: Asked, talk: Talk, mediaUrl: string, origin: string): object {
  const { videoId = '', continuation } = body;
  if (endpoint === 'player') {
    const player = playerOf(videoId, talk, mediaUrl, origin);
    return body.context?.client?.clientName === 'WEB'
      ? { ...player, streamingData: {}, microformat }
      : player;
  }
  if (endpoint === 'search') return searchAnswer;
  return continuation === undefined ? nextOf(videoId, talk) : commentsOf(continuation);
}

/** Speaks InnerTube on loopback; its one link of a video leads to `mediaUrl`. */
export async function startYoutube(mediaUrl: string): Promise<YoutubeStandIn> {
  const asked: string[] = [];
  const talks = new Map<string, Talk>();
  const talkOf = (videoId: string | null | undefined): Talk => talks.get(videoId ?? '') ?? madeUpTalk;
  const origin = await startOrigin((request, response) => {
    void text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://youtube');
      const endpoint = url.pathname.split('/').at(-1) ?? '';
      asked.push(endpoint);
      const send = (status: number, type: string, answer: string) =>
        response.writeHead(status, { 'content-type': type }).end(answer);
      const isBlocked = url.searchParams.get('v') === 'blocked0000' || body.includes('"blocked0000"');
      if (isBlocked && endpoint === 'timedtext')
        return send(200, 'text/html', '<!DOCTYPE html><title>Sorry</title>');
      if (body.includes('"toomany0000"')) return send(429, 'text/html', '<title>Sorry</title>');
      if (endpoint === 'timedtext') {
        const heard = captionsOf(talkOf(url.searchParams.get('v')));
        return send(200, 'application/json', JSON.stringify(heard));
      }
      if (endpoint === 'iframe_api')
        return send(
          200,
          'text/javascript',
          'var a="https:\\/\\/www.youtube.com\\/s\\/player\\/abcd1234\\/www";',
        );
      if (endpoint === 'base.js') return send(200, 'text/javascript', playerScript);
      if (request.method !== 'POST') return send(404, 'text/plain', 'No such page');
      const question = JSON.parse(body) as Asked;
      const answer = answerOf(endpoint, question, talkOf(question.videoId), mediaUrl, origin.url);
      return send(200, 'application/json', JSON.stringify(answer));
    });
  });
  return Object.assign(origin, { asked, talks });
}
