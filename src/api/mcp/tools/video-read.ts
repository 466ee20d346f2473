import { z } from 'zod';
import { runJob } from '../run-job.ts';
import { defineTool, type MakeTool, maxTokens, offered } from '../tool.ts';

const operations = {
  transcript: 'video.caption',
  summary: 'video.summary',
  article: 'video.article',
  frames: 'video.screenshot-multiple',
} as const;

const frameAt = 'video.screenshot';
/** As a query is written. */
const frame = { width: '768', format: 'jpeg' };

export const makeVideoRead: MakeTool = (catalog) => {
  const wants = offered(catalog, operations);
  return (
    wants &&
    defineTool({
      name: 'video_read',
      title: 'Read a video',
      description:
        'Reads a video (YouTube, PeerTube, pages with an open video, media files): what is said in it, or how it looks. A long transcript is answered in part; read on with result_read.',
      input: z.strictObject({
        url: z.string().min(1).max(8_192).describe('Absolute http or https URL of the video or its page.'),
        want: z
          .enum(wants)
          .describe(
            'transcript: the captions with their times; frames: pictures of it; where they are listed, summary and article are made of what is said.',
          ),
        at: z
          .number()
          .min(0)
          .max(604_800)
          .optional()
          .describe('Of frames: the second of one frame; without it four frames at even intervals.'),
        language: z
          .string()
          .min(2)
          .max(35)
          .optional()
          .describe(
            'Of the captions that are read, as a language tag: of a transcript en without it, else what is spoken. Where there are none, the failure lists which there are.',
          ),
        maxTokens: maxTokens(6_000),
      }),
      readOnly: true,
      openWorld: true,
      run: ({ url, want, at, language, maxTokens: bound }, call) => {
        const wanted = { maxTokens: bound };
        if (want !== 'frames') {
          return runJob(call, operations[want], { url, ...(language && { lang: language }) }, wanted);
        }
        if (at !== undefined) return runJob(call, frameAt, { url, timestamp: String(at), ...frame }, wanted);
        return runJob(call, operations.frames, { url, ...frame }, wanted);
      },
    })
  );
};
