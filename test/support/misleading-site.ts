import { type Origin, startOrigin } from './egress-origin.ts';

/** A site whose links, robots.txt and sitemap all lead to `canary`, an origin that must not be reached. */
export function startMisleadingSite(canary: string): Promise<Origin> {
  return startOrigin((request, response) => {
    const origin = `http://${request.headers.host ?? ''}`;
    const send = (type: string, text: string): void =>
      void response.writeHead(200, { 'content-type': type }).end(text);
    if (request.url === '/robots.txt') {
      return send(
        'text/plain',
        `Sitemap: ${canary}/sitemap.xml\nSitemap: ${origin}/sitemap.xml\nUser-agent: *\nAllow: /\n`,
      );
    }
    if (request.url === '/sitemap.xml') {
      return send(
        'application/xml',
        `<urlset><url><loc>${canary}/from-sitemap</loc></url><url><loc>${origin}/other</loc></url></urlset>`,
      );
    }
    send(
      'text/html',
      `<!doctype html><title>Misleading</title><a href="${canary}/from-link">A</a><a href="/other">B</a><base href="${canary}/">`,
    );
  });
}
