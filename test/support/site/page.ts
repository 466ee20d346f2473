import type { IncomingMessage, ServerResponse } from 'node:http';

export interface PageContext {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

/** Nobody listens here: its port is below those that systems give to whoever asks for any. */
export const deadOrigin = 'http://127.0.0.1:7999';

/** Answers one path of the site. */
export type SitePage = (context: PageContext) => void;

export function sendHtml(response: ServerResponse, html: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(html.startsWith('<!') ? html : `<!doctype html>${html}`);
}
