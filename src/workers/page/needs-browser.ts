import { scanHtml } from './scan-html.ts';

/** A page with this much text of its own is read as it is, unless something else tells that it is not whole. */
const enoughText = 600;
/** An app root with less text than this waits for its script. */
const emptyRootText = 50;
/** Characters of scripts, and of `noscript`, that are looked at. */
const scannedText = 200_000;

const silentElements = new Set(['script', 'style', 'noscript', 'template', 'title', 'svg', 'iframe']);
const dataScripts =
  /^(application\/(ld\+)?json|text\/(template|x-template|x-handlebars.*)|importmap|speculationrules)$/;
/** Where frameworks put a client-rendered app. */
const appRoots = /^(root|app|__next|__nuxt|___gatsby|svelte|main-app|react-root|app-root|application)$/;
const scriptRedirect =
  /(window|document|self|top)?\.?location(\.href)?\s*=[^=]|location\.(replace|assign)\s*\(/;
const needsScriptText =
  /(enable|requires?|turn on|activate)\W+(\w+\W+){0,3}java\s?script|java\s?script\W+(\w+\W+){0,3}(required|disabled|enabled)/i;

/**
 * Decides from a page's HTML alone whether scripts make its content. A wrong no costs content, a wrong yes
 * only time: doubt goes to the browser.
 */
export function needsBrowser(html: string): boolean {
  let textLength = 0;
  let scripts = 0;
  let refreshes = false;
  let scriptText = '';
  let noscriptText = '';
  let emptyRoot = false;
  /** Elements whose text nobody sees, the innermost last. */
  const silent: string[] = [];
  let root: { name: string; depth: number; textBefore: number } | null = null;

  scanHtml(html, {
    onStartTag(name, attributes) {
      if (silentElements.has(name)) silent.push(name);
      if (name === 'script' && isProgram(attributes)) scripts++;
      refreshes ||= name === 'meta' && attributes.get('http-equiv')?.toLowerCase() === 'refresh';
      if (root === null && isAppRoot(name, attributes)) root = { name, depth: 1, textBefore: textLength };
      else if (root?.name === name) root.depth++;
    },
    onText(text) {
      const inside = silent.at(-1);
      if (inside === 'script') scriptText += text.slice(0, scannedText - scriptText.length);
      else if (inside === 'noscript') noscriptText += text.slice(0, scannedText - noscriptText.length);
      if (inside === undefined) textLength += text.trim().length;
    },
    onEndTag(name) {
      if (silent.at(-1) === name) silent.pop();
      if (root?.name !== name || --root.depth > 0) return;
      emptyRoot ||= textLength - root.textBefore < emptyRootText;
      root = null;
    },
  });

  if (refreshes && textLength < enoughText) return true;
  if (scripts === 0) return false;
  if (emptyRoot || needsScriptText.test(noscriptText)) return true;
  if (scriptRedirect.test(scriptText) && textLength < 2 * enoughText) return true;
  return textLength < enoughText;
}

function isProgram(attributes: ReadonlyMap<string, string>): boolean {
  return !dataScripts.test(attributes.get('type')?.trim().toLowerCase() ?? '');
}

function isAppRoot(name: string, attributes: ReadonlyMap<string, string>): boolean {
  return appRoots.test(attributes.get('id') ?? '') || name.endsWith('-root');
}
