import { hasUnshownData } from './page-data.ts';
import { Placeholders } from './placeholders.ts';
import { scanHtml } from './scan-html.ts';
import { SilentElements } from './silent-elements.ts';

/** A page with this much text of its own is read as it is, unless something else tells that it is not whole. */
const enoughText = 600;
/** An app root with less text than this waits for its script. */
const emptyRootText = 50;
/** Nested one in the other; a page made of nothing else costs no more. */
const maxRoots = 8;
/** Characters of scripts, and of `noscript`, that are looked at. */
const scannedText = 200_000;

const silentElements = ['script', 'style', 'noscript', 'template', 'title', 'svg', 'iframe'];
const dataScripts =
  /^(application\/(ld\+)?json|text\/(template|x-template|x-handlebars.*)|importmap|speculationrules)$/;
/** Where frameworks put a client-rendered app; `main` is a page's content by its name. */
const appRoots = /^(root|app|__next|__nuxt|___gatsby|svelte|main-app|react-root|app-root|application)$/;
const scriptRedirect =
  /(window|document|self|top)?\.?location(\.href)?\s*=[^=]|location\.(replace|assign)\s*\(/;
/** Writes more than the year or another script. */
const writesContent =
  /document\.write(ln)?\s*\((?!\s*(new Date|unescape|['"`](<|\\x3c|%3c)(scr|img|link|style|\\?\/)))/i;
const needsScriptText =
  /(enable|requires?|turn on|activate)\W+(\w+\W+){0,3}java\s?script|java\s?script\W+(\w+\W+){0,3}(required|disabled|enabled)/i;

/**
 * Decides from a page's HTML alone whether scripts make its content. A wrong no costs content, a wrong yes
 * only time: doubt goes to the browser.
 */
export function needsBrowser(html: string): boolean {
  let textLength = 0;
  let shownText = '';
  let scripts = 0;
  let refreshes = false;
  let scriptText = '';
  let noscriptText = '';
  let emptyRoot = false;
  const placeholders = new Placeholders();
  const silent = new SilentElements(silentElements);
  /** Open places of content, the innermost last. */
  const roots: { name: string; depth: number; textBefore: number }[] = [];

  scanHtml(html, {
    onStartTag(name, attributes) {
      const isSilent = silent.start(name, attributes);
      if (!isSilent && silent.inside === null) placeholders.onStartTag(name, attributes);
      if (name === 'script' && isProgram(attributes)) scripts++;
      refreshes ||= name === 'meta' && attributes.get('http-equiv')?.toLowerCase() === 'refresh';
      for (const root of roots) if (root.name === name) root.depth++;
      if (roots.length < maxRoots && isAppRoot(name, attributes))
        roots.push({ name, depth: 1, textBefore: textLength });
    },
    onText(text) {
      const { inside } = silent;
      if (inside === 'script') scriptText += text.slice(0, scannedText - scriptText.length);
      else if (inside === 'noscript') noscriptText += text.slice(0, scannedText - noscriptText.length);
      if (inside !== null) return;
      textLength += text.trim().length;
      if (shownText.length < scannedText) shownText += text;
      placeholders.onText(text);
    },
    onEndTag(name) {
      if (!silent.end(name) && silent.inside === null) placeholders.onEndTag(name);
      for (const root of roots) if (root.name === name) root.depth--;
      for (let root = roots.at(-1); root?.depth === 0; root = roots.at(-1)) {
        roots.pop();
        if (textLength - root.textBefore < emptyRootText) emptyRoot = true;
      }
    },
  });

  if (refreshes && textLength < enoughText) return true;
  if (scripts === 0) return false;
  if (emptyRoot || placeholders.found || needsScriptText.test(noscriptText)) return true;
  if (scriptRedirect.test(scriptText) && textLength < 2 * enoughText) return true;
  if (writesContent.test(scriptText) || hasUnshownData(scriptText, shownText)) return true;
  return textLength < enoughText;
}

function isProgram(attributes: ReadonlyMap<string, string>): boolean {
  return !dataScripts.test(attributes.get('type')?.trim().toLowerCase() ?? '');
}

function isAppRoot(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return appRoots.test(attributes.get('id') ?? '') || name === 'main' || name.endsWith('-root');
}
