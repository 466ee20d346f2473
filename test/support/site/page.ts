import type { IncomingMessage, ServerResponse } from 'node:http';

export interface PageContext {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
}

/** Answers one path of the site. */
export type SitePage = (context: PageContext) => void;

export function sendHtml(response: ServerResponse, html: string, status = 200): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' });
  response.end(html.startsWith('<!') ? html : `<!doctype html>${html}`);
}
