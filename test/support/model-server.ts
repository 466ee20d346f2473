import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A request to a model, whatever the protocol that it came by. */
export interface ModelCall {
  protocol: 'chat' | 'responses' | 'anthropic' | 'google';
  model: string;
  key: string | null;
  system: string;
  prompt: string;
  /** It asked for JSON after a schema. */
  hasSchema: boolean;
  /** It asked for the answer to be kept, or not to be. */
  store?: boolean;
}

/** What goes wrong with one answer. */
export interface ModelFault {
  status?: number;
  headers?: Record<string, string>;
  /** Sent as it is, in place of the protocol's answer. */
  body?: string;
  /** The body breaks off in its middle. */
  breaksOff?: boolean;
  /** Never answers. */
  hangs?: boolean;
}

export interface ModelServer extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:40123`; the OpenAI protocols are at `/v1`, Google's at `/v1beta`. */
  origin: string;
  port: number;
  calls: ModelCall[];
  /** For the next answers, one each. */
  faults: ModelFault[];
  /** What the model says; tests put their own here. */
  answer: (call: ModelCall) => string;
  /** Waited for before each answer. */
  gate: Promise<void>;
  /** Told by `GET /models`. */
  models: string[];
}

const tokensOf = (text: string) => Math.ceil(text.length / 4);

type Body = any;

const textOf = (content: any): string =>
  typeof content === 'string' ? content : (content ?? []).map((part: any) => part.text ?? '').join('');

const byRole = (messages: any[], ...roles: string[]) =>
  messages
    .filter(({ role }) => roles.includes(role))
    .map(({ content }) => textOf(content))
    .join('\n');

interface Protocol {
  read(body: Body, path: string, headers: IncomingMessage['headers']): ModelCall;
  write(text: string, call: ModelCall): Body;
}

const bearer = (headers: IncomingMessage['headers']) =>
  headers.authorization?.replace(/^Bearer /, '') || null;

const protocols: Record<ModelCall['protocol'], Protocol> = {
  chat: {
    read: (body, _, headers) => ({
      protocol: 'chat',
      model: body.model,
      key: bearer(headers),
      system: byRole(body.messages, 'system', 'developer'),
      prompt: byRole(body.messages, 'user'),
      hasSchema: body.response_format?.type === 'json_schema',
      ...('store' in body ? { store: body.store } : {}),
    }),
    write: (text, call) => ({
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: call.model,
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: tokensOf(call.system + call.prompt),
        completion_tokens: tokensOf(text),
        total_tokens: tokensOf(call.system + call.prompt + text),
      },
    }),
  },
  responses: {
    read: (body, _, headers) => ({
      protocol: 'responses',
      model: body.model,
      key: bearer(headers),
      system: `${body.instructions ?? ''}${byRole(body.input, 'system', 'developer')}`,
      prompt: byRole(body.input, 'user'),
      hasSchema: body.text?.format?.type === 'json_schema',
      store: body.store,
    }),
    write: (text, call) => ({
      id: 'resp_1',
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: call.model,
      output: [
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text, annotations: [] }],
        },
      ],
      usage: {
        input_tokens: tokensOf(call.system + call.prompt),
        output_tokens: tokensOf(text),
        total_tokens: tokensOf(call.system + call.prompt + text),
      },
    }),
  },
  anthropic: {
    read: (body, _, headers) => ({
      protocol: 'anthropic',
      model: body.model,
      key: (headers['x-api-key'] as string | undefined) ?? null,
      system: textOf(body.system),
      prompt: byRole(body.messages, 'user'),
      hasSchema: body.output_config?.format !== undefined || (body.tools ?? []).length > 0,
    }),
    write: (text, call) => ({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: call.model,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: tokensOf(call.system + call.prompt), output_tokens: tokensOf(text) },
    }),
  },
  google: {
    read: (body, path, headers) => ({
      protocol: 'google',
      model: /models\/([^:]+):/.exec(path)?.[1] ?? '',
      key: (headers['x-goog-api-key'] as string | undefined) ?? null,
      system: textOf(body.systemInstruction?.parts),
      prompt: body.contents.map(({ parts }: any) => textOf(parts)).join('\n'),
      hasSchema: body.generationConfig?.responseMimeType === 'application/json',
    }),
    write: (text, call) => ({
      candidates: [{ content: { role: 'model', parts: [{ text }] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: {
        promptTokenCount: tokensOf(call.system + call.prompt),
        candidatesTokenCount: tokensOf(text),
        totalTokenCount: tokensOf(call.system + call.prompt + text),
      },
    }),
  },
};

function protocolOf(path: string): ModelCall['protocol'] | null {
  if (path.endsWith('/chat/completions')) return 'chat';
  if (path.endsWith('/responses')) return 'responses';
  if (path.endsWith('/messages')) return 'anthropic';
  return path.includes(':generateContent') ? 'google' : null;
}

/** A model that does as it is asked: sentences of the material, quoted, and one quote that it has made up. */
export function writeAsAsked({ system, prompt }: ModelCall): string {
  const material = /<(material-\w+)>\n([^]*)\n<\/\1>/.exec(prompt)?.[2] ?? prompt;
  const sentences = material.match(/[^.!?\n]{20,}[.!?]/g) ?? [material.slice(0, 200)];
  const [first = 'Nothing.', second = first] = sentences.map((sentence) => sentence.trim());
  if (system.includes('the numbers of the at most')) {
    return JSON.stringify({ summary: `Together: ${first}`, keyPoints: [1, 2], topics: ['merged'] });
  }
  if (system.includes('"purpose"')) {
    return JSON.stringify({
      summary: `The site: ${first}`,
      purpose: 'To be summarised.',
      audience: 'Testers.',
      topics: ['site'],
    });
  }
  if (system.includes('numbered moments')) {
    const numbers = [...material.matchAll(/^Moment (\d+): .*\n(.*)/gm)];
    const moments = numbers.map(([, number, said]) => ({
      number: Number(number),
      title: `Title ${number}`,
      summary: `It tells: ${said}`,
    }));
    return JSON.stringify({ moments });
  }
  if (system.includes('section of a transcript')) {
    return JSON.stringify({ heading: 'A section', paragraphs: [first], quote: second });
  }
  return JSON.stringify({
    summary: `In short: ${first}`,
    keyPoints: [
      { point: `It says: ${first}`, quote: first },
      { point: `It also says: ${second}`, quote: `“${second.replaceAll(' ', '\n ')}”` },
      { point: 'It promises free lunch.', quote: 'There is such a thing as a free lunch for everyone.' },
    ],
    topics: ['fixture', 'summary'],
  });
}

function sendJson(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Starts a server that speaks the protocols of OpenAI (chat completions and responses), Anthropic and Google. */
export async function startModelServer(): Promise<ModelServer> {
  const hanging = new Set<ServerResponse>();
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? '/';
    if (request.method === 'GET' && path.split('?')[0]?.endsWith('/models') === true) {
      const data = state.models.map((id) => ({ id, object: 'model', name: `models/${id}` }));
      const fault = state.faults.shift();
      sendJson(response, fault?.status ?? 200, { object: 'list', data, models: data });
      return;
    }
    const protocol = protocolOf(path);
    if (protocol === null) {
      sendJson(response, 404, { error: { message: 'no such path' } });
      return;
    }
    const call = protocols[protocol].read((await json(request)) as Body, path, request.headers);
    state.calls.push(call);
    const fault = state.faults.shift();
    await state.gate;
    if (fault?.hangs === true) {
      hanging.add(response);
      return;
    }
    if (fault?.status !== undefined && fault.body === undefined) {
      const body = { error: { type: 'test_error', message: `The stand-in answers ${fault.status}` } };
      sendJson(response, fault.status, body, fault.headers);
      return;
    }
    const body = fault?.body ?? JSON.stringify(protocols[protocol].write(state.answer(call), call));
    if (fault?.breaksOff === true) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    }
    sendJson(response, fault?.status ?? 200, body, fault?.headers);
  }
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    reply(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const state: ModelServer = {
    origin: `http://127.0.0.1:${port}`,
    port,
    calls: [],
    faults: [],
    answer: writeAsAsked,
    gate: Promise.resolve(),
    models: ['small', 'large'],
    async [Symbol.asyncDispose]() {
      for (const response of hanging) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return state;
}
