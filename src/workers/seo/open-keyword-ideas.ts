import { AppError } from '../../shared/errors.ts';
import type { SuggestUrl } from '../../shared/seo-settings.ts';
import { type Reason, withCoverage } from './coverage.ts';
import { expandKeyword } from './expansions.ts';
import { intentOf } from './intent.ts';
import type { KeywordIdeas, KeywordIdeasQuery, SeoRun } from './provider.ts';
import { createSuggestEngines, type SuggestEngine } from './suggest.ts';
import { type Ask, failureOf, UpstreamBlocked } from './upstream.ts';
import { hasPhrase, wordsOf } from './words.ts';

interface Found {
  engines: Set<string>;
  /** Best place in a list of suggestions, from 1. */
  place: number;
}

/** What an engine has said, or why it says nothing more. */
interface EngineState {
  engine: SuggestEngine;
  asOf: string | null;
  failure: AppError | UpstreamBlocked | null;
}

const plain = (text: string) => text.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();

function relevanceOf(idea: string, seedWords: readonly string[], place: number): number {
  const shared = seedWords.filter((word) => hasPhrase(idea, word)).length;
  const overlap = seedWords.length === 0 ? 0 : shared / seedWords.length;
  return Math.round((0.7 * overlap + 0.3 / place) * 100) / 100;
}

async function askEngine(
  state: EngineState,
  queries: readonly string[],
  found: Map<string, Found>,
  isEnough: () => boolean,
): Promise<void> {
  const { engine } = state;
  for (const query of queries) {
    if (isEnough()) return;
    try {
      const { suggestions, asOf } = await engine.suggest(query);
      state.asOf ??= asOf;
      for (const [index, suggestion] of suggestions.entries()) {
        const text = plain(suggestion);
        if (text === '' || text.length > 200) continue;
        const known = found.get(text) ?? { engines: new Set(), place: Infinity };
        known.engines.add(engine.name);
        known.place = Math.min(known.place, index + 1);
        found.set(text, known);
      }
    } catch (error) {
      if (!(error instanceof UpstreamBlocked) && !(error instanceof AppError)) throw error;
      state.failure = error;
      return;
    }
  }
}

/** Of the job's time: to answer with what is there. */
const finishMs = 5_000;
const longestTimerMs = 2 ** 31 - 1;

const unknownFigures = {
  searchVolume: null,
  competition: null,
  competitionLevel: null,
  cpc: null,
  trend: [],
  difficulty: null,
};

const byVendor: Reason = {
  reason: 'Search engines do not publish it.',
  mend: 'A vendor estimates it: SEO_PROVIDERS=keyword-ideas=dataforseo.',
};

/**
 * What search engines suggest around a keyword.
 * @throws AppError `not_configured` without engines; `upstream_failed` naming those that refuse where the others know nothing.
 */
export async function suggestKeywordIdeas(
  urls: readonly SuggestUrl[],
  query: KeywordIdeasQuery,
  ask: Ask,
  run: SeoRun,
): Promise<KeywordIdeas> {
  const { keyword, country, language, limit } = query;
  const states = createSuggestEngines(urls, query, ask).map((engine): EngineState => ({
    engine,
    asOf: null,
    failure: null,
  }));
  if (states.length === 0) {
    throw new AppError(
      'not_configured',
      'No source of keyword ideas is configured. Set SUGGEST_URLS, or SEO_PROVIDERS=keyword-ideas=dataforseo.',
    );
  }
  const found = new Map<string, Found>();
  const seed = plain(keyword);
  // The seed itself is no idea.
  const isEnough = () => found.size - (found.has(seed) ? 1 : 0) >= 2 * limit;
  const queries = expandKeyword(keyword, language, country);
  let isOver = false;
  const time = Promise.withResolvers<void>();
  const timer = setTimeout(
    time.resolve,
    Math.min(Math.max(0, run.deadlineAt - finishMs - performance.now()), longestTimerMs),
  );
  const asking = Promise.all(
    states.map((state) => askEngine(state, queries, found, () => isOver || isEnough())),
  );
  try {
    isOver = await Promise.race([asking.then(() => false), time.promise.then(() => true)]);
  } finally {
    clearTimeout(timer);
  }

  const seedWords = wordsOf(keyword);
  const engineCount = (text: string) => found.get(text)?.engines.size ?? 0;
  const ideas = [...found]
    .filter(([text]) => text !== seed)
    .map(([text, { engines, place }]) => ({
      ...unknownFigures,
      keyword: text,
      intent: intentOf(text, language),
      relevance: relevanceOf(text, seedWords, place),
      source: [...engines].join(', '),
    }))
    .toSorted(
      (a, b) =>
        b.relevance - a.relevance ||
        engineCount(b.keyword) - engineCount(a.keyword) ||
        a.keyword.localeCompare(b.keyword),
    )
    .slice(0, limit);

  const failures = states.flatMap(({ failure }) => failure ?? []);
  const reasons = [...failures.map(failureOf), ...(isOver ? ['The time of the job was over'] : [])];
  if (reasons.length > 0 && ideas.length === 0) {
    const waits = failures.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? []);
    throw new AppError(
      'upstream_failed',
      `No engine suggests anything now: ${reasons.join('; ')}. Try again later, or set SUGGEST_URLS to others.`,
      waits.length === 0 ? {} : { retryAfterSeconds: Math.min(...waits) },
    );
  }
  if (isOver) {
    const message =
      'The engines were slow: not all was asked of them in the time of the job, and there may be more ideas.';
    run.warn('ideas_cut', message);
  }
  for (const reason of failures.map(failureOf))
    run.warn('engine_failed', `${reason}: its suggestions are missing or not complete.`);
  const figures = states.flatMap(({ engine, asOf }) => {
    if (asOf === null) return [];
    run.tellSource(engine.upstream.name, asOf);
    const count = [...found.values()].filter(({ engines }) => engines.has(engine.name)).length;
    const method = 'Suggestions for the keyword alone and with questions, prepositions and letters.';
    return {
      figure: 'ideas',
      source: engine.upstream.name,
      asOf,
      method,
      confidence: 'medium' as const,
      share: count,
    };
  });
  return withCoverage(
    { keyword, country, language, ideas },
    {
      figures,
      reasons: {
        'ideas.intent': {
          reason: 'No word of these tells it, as far as it is known in this language.',
          mend: null,
        },
        ...(ideas.length === 0
          ? { ideas: { reason: 'The engines suggest nothing for it.', mend: null } }
          : {}),
      },
      otherwise: byVendor,
    },
  );
}
