import type { Origin } from '../support/egress-origin.ts';
import type { Answer, Ask, PageData } from './asking.ts';
import type { Site } from '../support/site.ts';
import type { TlsOrigins } from '../support/tls-origins.ts';

export interface HostileContext {
  ask: Ask;
  serviceUrl: string;
  key: string;
  site: Site;
  /** Closed to the service. */
  canary: Site;
  tls: TlsOrigins;
  /** Leads to the canary by its links, robots.txt and sitemap. */
  misleading: Origin;
  /** Scrapes a path of the site: with a browser, or plainly. */
  browse(path: string, options?: Record<string, unknown>): Promise<Answer>;
  read(path: string, options?: Record<string, unknown>): Promise<Answer>;
  shoot(path: string, options?: Record<string, unknown>): Promise<Answer>;
  /** Kills every page of the service's Chromium, and answers how many there were. */
  killRenderers(): number;
  /** Resident bytes of the service's whole process tree. */
  memoryBytes(): number;
}

/** What is wrong with what was got; null when it is as the case says. */
export type Verdict = string | null;
export type Check = (context: HostileContext) => Promise<Verdict>;

export const deadlineMs = 4_000;
/** What a whole request takes beside its page. */
export const overheadMs = 1_000;

export function first(verdicts: Verdict[]): Verdict {
  return verdicts.find((verdict) => verdict !== null) ?? null;
}

export function tell(what: string, answer: Answer): string {
  const { status, code, detail, ms, data } = answer;
  const shown = code === null ? JSON.stringify(data).slice(0, 200) : `${code}: ${detail}`;
  return `${what}: ${status} after ${Math.round(ms)} ms, ${shown}`;
}

export function isError(answer: Answer, codes: string[], withinMs = Infinity): Verdict {
  const isRight = answer.code !== null && codes.includes(answer.code) && answer.ms <= withinMs;
  return isRight ? null : tell(`not ${codes.join(' or ')} in time`, answer);
}

export function holds(answer: Answer, test: (data: PageData) => boolean, what: string): Verdict {
  return answer.code === null && test(answer.data as PageData) ? null : tell(`not ${what}`, answer);
}

export function warns(answer: Answer, code: string): Verdict {
  return answer.warnings.includes(code) ? null : `without the warning ${code}`;
}

export const isNeither500 = (answer: Answer): Verdict =>
  answer.status === 500 ? tell('an error of ours', answer) : null;

export function inTime(answer: Answer, extraMs = 0): Verdict {
  const limitMs = deadlineMs + 1_000 + overheadMs + extraMs;
  return answer.ms <= limitMs ? null : tell(`later than ${limitMs} ms`, answer);
}
