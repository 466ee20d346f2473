export type Attributes = Record<string, string | number | boolean>;

/** One timed step of a trace. */
export interface Span {
  /** Adds what was not known when it began; the names are those of OpenTelemetry's conventions, or begin with `quarry.`. */
  set(attributes: Attributes): void;
  /** Where what it is shows only later; of few names, so that those who look can group by them. */
  rename(name: string): void;
}

export interface SpanOptions {
  /** What it is to the steps around it: answers a request, takes work off a queue, asks another server. */
  kind: 'server' | 'consumer' | 'client';
  attributes?: Attributes;
  /** The step that it is a part of, where that is of another process: a `traceparent` (W3C Trace Context). */
  parent?: string | null;
}

/** Traces of OpenTelemetry. */
export interface Tracing extends AsyncDisposable {
  /**
   * Runs a step of a trace: of the one that its parent is in, else of the one that is under way here, else of a new one.
   * A `client` alone makes no trace. A failure is noted by its code.
   */
  trace<T>(name: string, options: SpanOptions, run: (span: Span) => Promise<T>): Promise<T>;
  /** The step that is under way here, as a `traceparent` for another process. */
  current(): string | null;
}

export const noSpan: Span = { set: () => undefined, rename: () => undefined };

export const noTracing: Tracing = {
  trace: (_name, _options, run) => run(noSpan),
  current: () => null,
  [Symbol.asyncDispose]: async () => undefined,
};
