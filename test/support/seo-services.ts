import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** Third parties of SEO insights, each speaking its real protocol. */

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export interface SuggestRequest {
  path: string;
  parameters: Record<string, string>;
}

/** OpenSearch suggestions, as Google, Bing, DuckDuckGo and Wikipedia answer them; the query's parameter is its engine's. */
export function suggestService(
  parameter: 'q' | 'query' | 'search',
  suggest: (query: string) => readonly string[],
  asked: SuggestRequest[] = [],
): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://suggest');
    asked.push({ path: url.pathname, parameters: Object.fromEntries(url.searchParams) });
    const query = url.searchParams.get(parameter) ?? '';
    const found = suggest(query);
    sendJson(response, parameter === 'search' ? [query, found, found.map(() => ''), found] : [query, found]);
  };
}

export interface SearxngResult {
  url: string;
  title: string;
}

/** SearXNG's `/search?format=json`; formats that are not allowed are 403, as there. */
export function searxngService(
  answer: (query: string) => { results: SearxngResult[]; unresponsive?: [string, string][] },
): RequestListener {
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://searxng');
    if (url.pathname !== '/search') return void response.writeHead(404).end();
    if (url.searchParams.get('format') !== 'json') return void response.writeHead(403).end();
    const query = url.searchParams.get('q') ?? '';
    const { results, unresponsive = [] } = answer(query);
    sendJson(response, {
      query,
      number_of_results: 0,
      results: results.map((result, index) => ({
        ...result,
        content: '',
        engine: 'google',
        engines: ['google'],
        score: 1 / (index + 1),
        category: 'general',
      })),
      answers: [],
      corrections: [],
      infoboxes: [],
      suggestions: [],
      unresponsive_engines: unresponsive,
    });
  };
}

/** What one path of DataForSEO answers to a task: its result, or a code and message of the task. */
export type VendorAnswer = { result: unknown[] } | { code: number; message: string };

export interface VendorCall {
  path: string;
  task: Record<string, unknown>;
}

/** DataForSEO v3: basic auth, one task a call, codes of the request and of the task, a cost for each. */
export function dataForSeoService(
  account: { login: string; password: string },
  answers: (call: VendorCall) => VendorAnswer,
  calls: VendorCall[] = [],
): RequestListener {
  const expected = `Basic ${Buffer.from(`${account.login}:${account.password}`).toString('base64')}`;
  const common = { version: '0.1.20261101', time: '0.1 sec.' };
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.headers.authorization !== expected) {
      const refused = {
        status_code: 40_100,
        status_message: 'You are not authorized to access this resource.',
      };
      sendJson(
        response,
        { ...common, ...refused, cost: 0, tasks_count: 0, tasks_error: 0, tasks: null },
        401,
      );
      return;
    }
    const [task] = JSON.parse(await text(request)) as Record<string, unknown>[];
    const path = (request.url ?? '').replace(/^\/v3\//, '');
    const call = { path, task: task ?? {} };
    calls.push(call);
    const answer = answers(call);
    const failed = 'code' in answer;
    const cost = failed ? 0 : 0.02;
    sendJson(response, {
      ...common,
      status_code: 20_000,
      status_message: 'Ok.',
      cost,
      tasks_count: 1,
      tasks_error: failed ? 1 : 0,
      tasks: [
        {
          id: '11220000-1535-0267-0000-a1b2c3d4e5f6',
          status_code: failed ? answer.code : 20_000,
          status_message: failed ? answer.message : 'Ok.',
          time: '0.1 sec.',
          cost,
          result_count: failed ? 0 : answer.result.length,
          path: ['v3', ...path.split('/')],
          data: task,
          result: failed ? null : answer.result,
        },
      ],
    });
  };
  return (request, response) => void serve(request, response);
}
