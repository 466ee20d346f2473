import type { videoSummaryAnswer } from '../../../shared/schemas/video-summary.ts';
import type { z } from 'zod';
import { addUsage, type Model } from '../../ai/model.ts';
import type { JobContext } from '../../handler.ts';
import type { TaskPool } from '../../../shared/tasks/task.ts';
import { createSummaryTools, warnOfKeptLanguage, writeOrExtract } from '../job-tools.ts';
import type { Wishes } from '../prompts.ts';
import { type Citation, summarizeText } from '../summarize-text.ts';
import type { TextWork } from '../text-work.ts';
import { readTranscript, type Transcript } from './read-transcript.ts';
import { writeMoments } from './write-moments.ts';

export interface VideoSummaryRequest extends Wishes {
  url: string;
  /** Of the captions that are read; null: what is spoken. */
  captionLanguage: string | null;
}

type TimedCitation = z.output<typeof videoSummaryAnswer>['citations'][number];

/** Quotes as the captions have them, before sentences were restored. */
async function findInCues(
  citations: readonly Citation[],
  { cues }: Transcript,
  work: TextWork,
): Promise<TimedCitation[]> {
  const quotes = citations.map(({ quote }) => quote);
  const found = await work.findQuotes({ blocks: cues, quotes, isSpoken: true });
  return citations.flatMap(({ claim }, at) => {
    const quote = found[at];
    if (quote == null) return [];
    return { claim, quote: quote.text, startSeconds: cues[quote.block]?.startSeconds ?? 0 };
  });
}

/** Summarises what is said in a video, as a whole and moment by moment. */
export async function summarizeVideo(
  model: Model,
  { url, captionLanguage, ...wishes }: VideoSummaryRequest,
  job: JobContext,
  tasks: TaskPool,
): Promise<z.output<typeof videoSummaryAnswer>> {
  const tools = createSummaryTools(job, tasks);
  const transcript = await readTranscript({ url, language: captionLanguage }, job, tools.work);
  const { info, source, document, measured } = transcript;
  warnOfKeptLanguage(job, model, { wished: wishes.language, own: document.language });
  const { citations, usage, ...said } = await summarizeText(
    model,
    { name: 'summary', document, ...wishes },
    tools,
  );
  const { chapters } = info;
  const {
    by,
    written: moments,
    lost,
  } = await writeOrExtract(job, model, 'the moments', (one) =>
    writeMoments(one, { document, chapters, language: wishes.language }, tools),
  );
  return {
    url,
    finalUrl: info.url,
    title: info.title,
    ...measured,
    ...said,
    citations: await findInCues(citations, transcript, tools.work),
    moments: moments.moments,
    transcriptSource: source,
    model: model.id,
    usage: model.kind === 'extractive' ? usage : addUsage(usage, by === model ? moments.usage : lost),
  };
}
