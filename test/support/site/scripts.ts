import { sendHtml, type SitePage } from './page.ts';

/** Pages whose content is made by script. */
export const scriptPages: Record<string, SitePage> = {
  '/app': ({ response }) => {
    sendHtml(
      response,
      `<title>Loading</title><div id="root"></div><script>
      document.title = 'Rendered';
      document.getElementById('root').innerHTML = '<h1>Rendered by script</h1><p class="ready">' + 'Text. '.repeat(60) + '</p>';
      </script>`,
    );
  },
  '/components': ({ response }) => {
    sendHtml(
      response,
      `<html lang="en" data-a="1 &gt; 0"><title>Components</title><shop-item><b slot="name">Slate</b></shop-item>
      <p-sealed></p-sealed><p>After</p><script>
      customElements.define('price-tag', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'open' }).innerHTML = '<style>b{color:red}</style><b class="price">12 francs</b>'; }
      });
      customElements.define('shop-item', class extends HTMLElement {
        connectedCallback() {
          this.attachShadow({ mode: 'open' }).innerHTML = '<h2><slot name="name"></slot></h2><a href="/buy">Buy</a><price-tag></price-tag>';
        }
      });
      customElements.define('p-sealed', class extends HTMLElement {
        connectedCallback() { this.attachShadow({ mode: 'closed' }).innerHTML = '<p>Sealed</p>'; }
      });
      </script>`,
    );
  },
  '/app-fetching': ({ response, url }) => {
    const waitMs = Number(url.searchParams.get('wait') ?? 300);
    sendHtml(
      response,
      `<title>Loading</title><div id="root">Loading</div><script>
      addEventListener('load', async () => {
        const answer = await fetch('/app-data?wait=${waitMs}');
        const data = await answer.json();
        document.title = data.title;
        document.getElementById('root').innerHTML = '<h1 class="ready">' + data.title + '</h1>';
      });
      </script>`,
    );
  },
  '/app-data': ({ response, url }) => {
    setTimeout(
      () => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ title: 'Fetched after load' }));
      },
      Number(url.searchParams.get('wait') ?? 0),
    );
  },
  '/late-element': ({ response, url }) => {
    const waitMs = Number(url.searchParams.get('wait') ?? 800);
    sendHtml(
      response,
      `<title>Late</title><p>${'There is text here from the start. '.repeat(20)}</p><script>
      setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<p id="late">Here now</p>'), ${waitMs});
      </script>`,
    );
  },
  '/meta-refresh': ({ response }) => {
    sendHtml(
      response,
      '<title>Moved</title><meta http-equiv="refresh" content="0; url=/article"><p>Moved</p>',
    );
  },
  '/script-redirect': ({ response }) => {
    sendHtml(
      response,
      '<title>Moved</title><script>setTimeout(() => { location.href = "/article"; }, 50)</script>',
    );
  },
  '/push-state': ({ response }) => {
    sendHtml(
      response,
      '<title>History</title><script>let n = 0; setInterval(() => history.pushState({}, "", "/state/" + n++), 20)</script>',
    );
  },
  '/never-idle': ({ response }) => {
    sendHtml(
      response,
      `<title>Never idle</title><h1>Never idle</h1><p>${'Text. '.repeat(60)}</p>
      <script>let n = 0; const next = () => fetch('/app-data?wait=100&n=' + n++).then(next); next();</script>`,
    );
  },
  /** A request whose answer its server keeps back until there is news. */
  '/long-poll': ({ response }) => {
    sendHtml(
      response,
      `<title>Long poll</title><h1>Long poll</h1><p>${'Text. '.repeat(60)}</p>
      <script>fetch('/never-answers'); new EventSource('/events');</script>`,
    );
  },
  '/polling': ({ response }) => {
    sendHtml(
      response,
      `<title>Polling</title><h1>Polling</h1><p>${'Text. '.repeat(60)}</p>
      <script>const poll = () => fetch('/app-data?wait=100').then(poll); poll();</script>`,
    );
  },
  '/events': ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
  },
  '/dialogs': ({ response }) => {
    sendHtml(
      response,
      `<title>Dialogs</title><script>
      addEventListener('beforeunload', (event) => { event.preventDefault(); event.returnValue = 'stay'; });
      alert('one'); const answer = confirm('two'); const text = prompt('three'); print();
      document.title = 'Dialogs: ' + answer + ' ' + text;
      </script><h1>After the dialogs</h1>`,
    );
  },
  '/popups': ({ response }) => {
    sendHtml(
      response,
      `<title>Pop-ups</title><h1>Pop-ups</h1><p>${'Text. '.repeat(60)}</p>
      <script>for (let n = 0; n < 5; n++) window.open('/popup?' + n);</script>`,
    );
  },
  '/popup': ({ response }) => sendHtml(response, '<title>Pop-up</title><h1>A pop-up</h1>'),
};
