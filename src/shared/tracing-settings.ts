import { z } from 'zod';
import { list } from './config-values.ts';

/** The variables of traces, named as OpenTelemetry has them. */
export const tracingEnvironment = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .string()
    .refine((text) => /^https?:\/\//.test(text) && URL.canParse(text), 'must be an http(s) URL')
    .transform((text) => new URL(text))
    .optional(),
  OTEL_EXPORTER_OTLP_HEADERS: list
    .default([])
    .refine(
      (entries) => entries.every((entry) => /^[\w.-]+=/.test(entry)),
      'must be name=value entries, separated by commas',
    )
    .transform((entries, context): Readonly<Record<string, string>> => {
      const headers = entries.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]);
      try {
        return Object.fromEntries(headers.map(([name, value]) => [name, decodeURIComponent(value)]));
      } catch {
        context.addIssue({
          code: 'custom',
          message: 'has a % that is not part of a percent-encoding: write it %25',
        });
        return z.NEVER;
      }
    }),
  OTEL_SERVICE_NAME: z.string().min(1).default('quarry'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
};
