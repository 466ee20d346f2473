import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readVisibleText } from '../../src/workers/page/html/visible-text.ts';
import { loadPage } from '../../src/workers/page/load/load.ts';
import { type BrowserBench, startBrowserBench } from '../support/browser.ts';

let bench: BrowserBench;
beforeAll(async () => {
  bench = await startBrowserBench();
  await bench.chromium.warmUp();
}, 60_000);
afterAll(() => bench[Symbol.asyncDispose]());

/** What Chromium takes for the text of a page, word by word. */
async function innerTextOf(html: string): Promise<string> {
  bench.site.serve('/page', html);
  return await bench.withPage({}, async (page, lease) => {
    await loadPage(page, { url: `${bench.site.origin}/page`, timeoutMs: 10_000, lease });
    return await page.evaluate(() => document.body.innerText);
  });
}

const wordsOf = (text: string): string => text.split(/\s+/).filter(Boolean).join(' ');
/** With words before and behind, so that what is hidden ends where it does in the browser. */
const around = (html: string): string =>
  `<!DOCTYPE html><title>T</title><p>Before the part in question</p> ${html} <p>Behind it there is more</p>`;

describe('the text of a page is that of a browser:', () => {
  it.each([
    ['hidden', '<div hidden>no <b>nor</b></div>'],
    ['hidden with a value', '<div hidden="false">no</div>'],
    ['hidden, and shown by its style', '<div hidden style="display: flex">yes</div>'],
    ['no display', '<div style="color:red;DISPLAY : None">no</div>'],
    ['no display, then another', '<div style="display:none;display:block">yes</div>'],
    ['another display, then none', '<div style="display:block;display:none !important">no</div>'],
    [
      'hidden from view',
      '<span style="visibility: hidden">no <b style="visibility:visible">yes</b> no</span>',
    ],
    ['collapsed', '<span style="visibility:collapse">no</span>'],
    ['transparent', '<p style="opacity:0">yes</p>'],
    ['no display whatever comes after', '<p style="display:none!important;display:block">no</p>'],
    ['a closed dialog', '<dialog>no</dialog>'],
    ['an open dialog', '<dialog open>yes</dialog>'],
    ['a popover', '<div popover>no</div>'],
    ['fallback of ruby', '<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>'],
    ['ruby without end tags', '<ruby>漢<rp>(<rt>kan<rp>)</ruby>'],
    ['a list of suggestions', '<input list="a"><datalist id="a"><option>no<option>nor</datalist>'],
    ['fallback of a canvas', '<canvas>no</canvas>'],
    ['fallback of a video', '<video><source src="/none"><p>no</p></video>'],
    ['fallback of audio', '<audio controls>no</audio>'],
    ['a video that nobody closes', '<div><video>no</div><p>yes</p>'],
    ['fallback of a frame', '<iframe>no</iframe>'],
    ['fallback of bars', '<progress value="1" max="2">no</progress> <meter value="1">no</meter>'],
    ['fallback of an object', '<object>yes</object>'],
    ['lines in the middle', 'one<center>two</center>three<center>four <b>five</b></center>six'],
    ['an old list', 'one<dir><li>two<li>three</dir>four'],
    ['old kinds of code', 'one<xmp>two  <b></xmp>three<listing>four\nfive</listing>six'],
    [
      'text of a drawing',
      '<svg><text x="1" y="9">yes</text><g><text x="1" y="20">and <tspan>again</tspan></text></g></svg>',
    ],
    [
      'texts of a drawing side by side',
      '<svg><text x="1" y="9">one</text><text x="1" y="30">two</text></svg>',
    ],
    [
      'names in a drawing',
      '<svg><title>no</title><desc>no</desc><metadata>no</metadata><text>yes<title>no</title></text></svg>',
    ],
    ['a drawing that has a link', '<svg><a xlink:href="/x"><text y="9">yes</text></a></svg>'],
    ['choices', '<select><optgroup label="g"><option>yes<option>again</optgroup></select>'],
    ['a template', '<template>no</template>'],
    ['a template with an open cell', '<div hidden><template><table><tr><td>no</template></div><p>yes</p>'],
    ['an id with a space behind it', '<button aria-controls="menu ">M</button><div hidden>no</div>'],
    ['a text for those without scripts', '<noscript>no</noscript>'],
    [
      'the source of a formula',
      '<math><semantics><mn>7</mn><annotation>\\no</annotation></semantics></math>',
    ],
    ['a hidden paragraph without end tag', '<p hidden>no<p>yes'],
    ['a hidden paragraph before a list', '<p hidden>no<ul><li>yes</ul>'],
    ['hidden items without end tags', '<ul><li hidden>no<li>yes<li hidden>no</ul>'],
    ['an item in a hidden item', '<ul><li hidden>no<ul><li>nor</ul>nor<li>yes</ul>'],
    ['hidden terms without end tags', '<dl><dt hidden>no<dd>yes<dd hidden>no<dt>yes</dl>'],
    ['hidden cells without end tags', '<table><tr><td hidden>no<td>yes<tr hidden><td>no<tr><td>yes</table>'],
    ['a table in a hidden cell', '<table><tr><td hidden><table><tr><td>no</table>no<td>yes</table>'],
    ['a hidden body of a table', '<table><tbody hidden><tr><td>no<tbody><tr><td>yes</table>'],
    ['a hidden part that its parent ends', '<div><span hidden>no</div>yes'],
    ['a hidden part with a foreign end tag', '<div><div hidden>no</section></p>no</div>yes</div>'],
    ['an end tag within a block', '<div><span hidden>no<div>no</span>no</div></div>yes'],
    ['an end tag in a cell', '<div hidden><table><tr><td>no</div>no</table>no</div>yes'],
    ['hidden elements without content', '<br hidden>yes <img hidden alt="no">yes <input hidden>yes'],
    ['hidden headings', '<h2 hidden>no</h2><h3>yes</h3>'],
    ['a hidden heading that the end tag of another ends', '<h2 hidden>no</h3>yes'],
    ['a hidden heading in a part that another ends', '<h3>yes <span hidden>no</h2>yes'],
    ['an end tag of a heading in a hidden part', '<div hidden>no</h2>no</div>yes'],
    [
      'a list of suggestions that a field names',
      '<input aria-controls="l"><datalist id="l"><option>no</datalist>',
    ],
    ['a fading menu', '<nav><ul style="visibility:hidden;opacity:0;transform:none"><li>no</ul></nav>'],
    ['a hidden element in a hidden element', '<div hidden><p hidden>no</p>no</div>yes'],
    [
      'a menu that a button opens',
      '<button aria-controls="m">Menu</button><ul id="m" class="menu" hidden><li>no</ul>',
    ],
    ['a panel in a menu', '<nav><button aria-controls="n">yes</button><div id="n" hidden>no</div></nav>'],
    [
      'a window that a button opens',
      '<div role="dialog" aria-labelledby="t" hidden><h2 id="t">no</h2></div>',
    ],
    ['a hidden element with a drawing', '<div hidden><svg><path d="M0 0"/><g></svg>no</div>yes'],
  ])('%s', async (_what, part) => {
    const html = around(part);
    expect(wordsOf(readVisibleText(html))).toBe(wordsOf(await innerTextOf(html)));
  });

  it.each([
    ['details that are closed', '<details><summary>More</summary><p>Of it</p></details>', 'More Of it'],
    ['what a search opens', '<p hidden="until-found">Found</p>', 'Found'],
    [
      'a panel behind a heading',
      '<h3><button aria-controls="p">More</button></h3><div id="p" hidden>Panel</div>',
      'More Panel',
    ],
    ['a panel behind a tab', '<div role="tabpanel" style="display:none">Panel</div>', 'Panel'],
    [
      'a panel of a site that is one form',
      '<form><button aria-controls="f">F</button><div id="f" hidden>Panel</div></form>',
      'F Panel',
    ],
    ['a panel by its name', '<dd class="accordion__panel accordion-panel" hidden>Panel</dd>', 'Panel'],
    [
      'a panel whose control stands behind it',
      '<div id="q" hidden>Panel</div><button aria-expanded="false" class="more" aria-controls="q">More</button>',
      'Panel More',
    ],
    [
      'a panel of two that one button opens',
      '<button aria-controls="a b">More</button><div id="b" hidden>Panel</div>',
      'More Panel',
    ],
    [
      'what WOW shows as it comes into view',
      '<p class="wow fadeIn" style="visibility: hidden; animation-name: none">Below</p>',
      'Below',
    ],
    [
      'what GSAP shows as it comes into view',
      '<p style="translate: none; opacity: 0; visibility: hidden; transform: translate(0px, 50px);">Below</p>',
      'Below',
    ],
    ['what React moves to its place', '<div hidden id="S:1">Of the stream</div>', 'Of the stream'],
  ])('but %s can be read', (_what, part, text) => {
    expect(wordsOf(readVisibleText(part))).toBe(text);
  });

  it('but not what is in a window that a control behind it closes', () => {
    const page =
      '<div id="w" hidden>Window <button aria-controls="w">Close</button></div><p>The page is longer</p>';
    expect(readVisibleText(page)).toBe('The page is longer');
  });

  it.each([
    ['a closed dialog', (text: string) => `<dialog>${text}</dialog>`],
    ['a video', (text: string) => `<video>${text}</video>`],
    ['a list of suggestions', (text: string) => `<datalist><option>${text}</datalist>`],
    ['a popover', (text: string) => `<div popover>${text}</div>`],
  ])('nor is what %s holds the page, however much it is', (_what, holder) => {
    expect(readVisibleText(`<p>Page</p>${holder('Terms and conditions apply. '.repeat(9))}`)).toBe('Page');
  });

  it('nor is a page that a script is to show an empty one', () => {
    const story = '<p>The upper quarry</p><p>employed four hundred people.</p>';
    const lines = 'Menu\nThe upper quarry\nemployed four hundred people.\nEnd';
    for (const style of ['display:none', 'visibility:hidden']) {
      const page = `<p>Menu</p><main style="${style}">${story}</main><p>End</p>`;
      expect(readVisibleText(page)).toBe(lines);
    }
    expect(readVisibleText(`<body style="visibility:hidden">${story}`)).toContain('quarry');
  });
});
