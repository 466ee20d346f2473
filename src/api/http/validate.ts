import { z } from 'zod';
import { AppError, type FieldError } from '../../shared/errors.ts';
import { describeIssue } from './describe-issue.ts';

/** What an answer names of them: a body of 1 MiB can be wrong in a hundred thousand places. */
export const mostErrors = 100;
const longestPath = 200;

const clip = (path: string) =>
  path.length > longestPath ? `${path.slice(0, longestPath).toWellFormed()}…` : path;

function fieldsOf(schema: z.ZodType): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

function toFieldErrors(schema: z.ZodType, issue: z.core.$ZodIssue): FieldError[] {
  const path = clip(issue.path.map(String).join('.'));
  // The issue itself says no more than that the name is wrong.
  if (issue.code === 'invalid_key') return issue.issues.map(({ message }) => ({ path, message }));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: issue.message }];
  const known = issue.path.length === 0 ? fieldsOf(schema) : [];
  const hint = known.length === 0 ? '' : ` Known fields: ${known.join(', ')}.`;
  return issue.keys.slice(0, mostErrors).map((key) => ({
    path: clip(path === '' ? key : `${path}.${key}`),
    message: `Unknown field.${hint}`,
  }));
}

/**
 * @returns the parsed value.
 * @throws AppError `invalid_request` with one entry per wrong field, at most 100.
 */
export function validate<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const errors = result.error.issues
    .slice(0, mostErrors)
    .flatMap((issue) => toFieldErrors(schema, issue))
    .slice(0, mostErrors);
  const detail = errors
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`).replace(/[^.]$/, '$&;'))
    .join(' ')
    .replace(/;$/, '');
  throw new AppError('invalid_request', `The request is invalid. ${detail}`.slice(0, 2_000), { errors });
}
