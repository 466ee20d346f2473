import { STATUS_CODES } from 'node:http';
import { type ErrorCode, errorKinds } from '../../shared/errors.ts';
import type { Operation } from '../../shared/operation.ts';
import { answerMeta } from '../../shared/schemas/answer-meta.ts';
import { job, problem } from '../../shared/schemas/job.ts';
import { representationsOf } from '../representations.ts';
import { type PossibleAnswer, possibleAnswersOf } from './answers.ts';
import { headersOf, joinHeaders, toHeaders } from './headers.ts';
import { schemaNameOf } from './request.ts';
import type { JsonSchema, SchemaComponents } from './schemas.ts';

const explain = (codes: readonly ErrorCode[]) =>
  codes.map((code) => `\`${code}\`: ${errorKinds[code].title}.`).join(' ');

/** A problem of one status, with the codes that it can have there. */
export function toProblemResponse(status: number, codes: readonly ErrorCode[], components: SchemaComponents) {
  const narrowed = { status: { const: status }, code: { enum: [...codes] } };
  const schema = { ...components.toReference(problem, 'output', 'Problem'), properties: narrowed };
  return { description: explain(codes), content: { 'application/problem+json': { schema } } };
}

function enveloped(data: JsonSchema, components: SchemaComponents): JsonSchema {
  const meta = components.toReference(answerMeta, 'output', 'Meta');
  return { type: 'object', properties: { data, meta }, required: ['data', 'meta'] };
}

function toDataContent(operation: Operation, components: SchemaComponents) {
  const output = operation.runs === 'queue' ? operation.data : operation.output;
  const data = components.toReference(output, 'output', schemaNameOf(operation));
  const bare = operation.runs === 'api' && operation.answer === 'bare';
  return {
    'application/json': { schema: bare ? data : enveloped(data, components) },
    ...toRepresentationContent(operation, ['text', 'file']),
  };
}

/** The media types besides JSON that are made in one of the ways. */
function toRepresentationContent(operation: Operation, ways: readonly ('text' | 'file')[]) {
  const made = [...representationsOf(operation)].filter(([, it]) => ways.some((way) => way in it));
  return Object.fromEntries(
    made.map(([type, it]) => [type, 'text' in it ? { schema: { type: 'string' } } : {}]),
  );
}

/** As `identify` answers it. */
function toRefusedKey(codes: readonly ErrorCode[]): JsonSchema {
  return {
    type: 'object',
    properties: {
      valid: { const: false },
      error: { type: 'string', description: 'What is wrong with the key.' },
      code: { type: 'string', enum: [...codes] },
    },
    required: ['valid', 'error', 'code'],
  };
}

const partDescriptions = {
  206: 'The bytes that `Range` asks for.',
  304: 'The file is the one that `If-None-Match` names.',
  416: 'The file ends before the range that was asked for.',
} as const;

function toResponse(operation: Operation, answer: PossibleAnswer, components: SchemaComponents) {
  switch (answer.kind) {
    case 'data':
      return {
        description: answer.status < 300 ? operation.summary : (STATUS_CODES[answer.status] ?? ''),
        content: toDataContent(operation, components),
      };
    case 'job': {
      const schema = enveloped(components.toReference(job, 'output', 'Job'), components);
      return {
        description:
          'The job, which has not ended within the wait or was asked for in place of its result. It goes on; ask for it at `Location`.',
        content: { 'application/json': { schema } },
      };
    }
    case 'part': {
      const description = partDescriptions[answer.status];
      const content = toRepresentationContent(operation, ['file']);
      return answer.status === 206 ? { description, content } : { description };
    }
    case 'refused-key':
      return {
        description: explain(answer.codes),
        content: { 'application/json': { schema: toRefusedKey(answer.codes) } },
      };
    case 'problem':
      return toProblemResponse(answer.status, answer.codes, components);
  }
}

/** The responses of an operation by status. Two kinds of answer can share one: a 503 with data or a problem. */
export function describeResponses(operation: Operation, components: SchemaComponents) {
  const byStatus = Map.groupBy(possibleAnswersOf(operation), ({ status }) => String(status));
  const entries = [...byStatus].map(([status, answers]) => {
    const responses = answers.map((answer) => toResponse(operation, answer, components));
    const contents = responses.flatMap(({ content }) => (content === undefined ? [] : [content]));
    const response = {
      description: responses.map(({ description }) => description).join(' '),
      headers: toHeaders(joinHeaders(answers.map((answer) => headersOf(operation, answer)))),
      ...(contents.length === 0 ? {} : { content: Object.assign({}, ...contents) as object }),
    };
    return [status, response] as const;
  });
  return Object.fromEntries(entries);
}
