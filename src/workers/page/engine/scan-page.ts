import { ClientMarkup } from './client-markup.ts';
import { shownPageOf } from './frames.ts';
import { isBesideByName, isHidden, PageRegion, type Side } from './page-region.ts';
import { Placeholders } from './placeholders.ts';
import { createHeadReader, type Head, type HeadSource } from '../html/head.ts';
import { scanHtml, wordsOf } from '../html/scan-html.ts';
import { UnseenElements } from '../html/unseen-elements.ts';

/** An app root with less text than this waits for its script. */
const emptyRootText = 50;
/** Nested one in the other; a page made of nothing else costs no more. */
const maxRoots = 8;
/** Characters of scripts, and of `noscript`, that are looked at. */
const scannedText = 200_000;
/** A script of so few characters is read behind long ones, too, as many again. */
const shortScript = 6_000;

const unseenElements = ['script', 'style', 'noscript', 'template', 'title', 'svg', 'iframe'];
/** Program, by the HTML standard. */
const programTypes = /^(|module|(application|text)\/(x-)?(java|ecma|j|live)script(1\.\d)?)$/;
/** As React sends it. */
const streamedPart = /\sid="S:([\da-f]{1,8})"/g;
const dataTypes = /^(application\/(.*\+)?json|importmap|speculationrules|text\/json)$/;
/** Text for a script to show, as it is or in a template. */
const heldTypes =
  /markdown|asciidoc|^text\/(plain|template|x-template|x-handlebars.*|x-mustache|mustache|handlebars|x-text|x-rst)$/;
/** Of a program that waits for a consent, its type set to that of a text. */
const code = /\bfunction\b[^(]{0,50}\(|=>|\b(var|let|const)\s|\);/;
/** Where data is put into a template: what stands around it is no content by itself. */
const gap = /<%|\{\{/;
const templateTypes = /template|handlebars|mustache/;
/** Where frameworks put a client-rendered app; `main` is a page's content by its name. */
const appRoots =
  /^(root|app|__next|__nuxt|___gatsby|svelte|application)$|^(main-app|react-root)$|^app[-_](root|container|main|wrapper|mount)$|^(react(?!-(aria|google|modal|portal))|vue|ember|svelte|angular|preact|solid)[-_]|[-_]app$/;
/** Of its base and its refreshes, and of where they do not count. */
const headNames = new Set(['base', 'math', 'meta', 'svg', 'template']);

/** What a page's scripts would work with. */
export interface PageScan {
  textLength: number;
  /** Without what stands beside its content. */
  contentLength: number;
  shownText: string;
  /** It is a set of frames. */
  isFrameset: boolean;
  /** Addresses of the pages that it shows within its own, as they are written; empty of those whose text it holds itself. */
  frames: string[];
  /** How many programs it has. */
  programs: number;
  inlineScripts: string[];
  /** Addresses of other programs, as they are written. */
  scriptSources: string[];
  /** As the head reader has them. */
  head: Pick<Head, 'base' | 'refresh'>;
  /** Of scripts that are no programs, and of templates. */
  heldText: string;
  jsonText: string;
  /** What empty elements are given as JSON. */
  props: readonly string[];
  noscriptText: string;
  /** It asks for a refresh, of any delay. */
  hasRefresh: boolean;
  /** What marks a place that a script is to fill. */
  mark: string | null;
  /** The same of what stands beside the content as often as in its place. */
  guess: string | null;
}

/** One pass over a page's HTML. */
export function scanPage(html: string, source: HeadSource): PageScan {
  const reader = createHeadReader(source);
  const page: Omit<PageScan, 'head' | 'hasRefresh'> = {
    textLength: 0,
    contentLength: 0,
    shownText: '',
    isFrameset: false,
    frames: [],
    programs: 0,
    inlineScripts: [],
    scriptSources: [],
    heldText: '',
    jsonText: '',
    props: [],
    noscriptText: '',
    mark: null,
    guess: null,
  };
  let scriptLength = 0;
  let script: ScriptKind = 'other';
  const placeholders = new Placeholders();
  const markup = new ClientMarkup();
  const region = new PageRegion();
  /** Within a template. */
  let held = new PageRegion();
  const unseen = new UnseenElements(unseenElements);
  let heldBefore = 0;
  /** Boundaries of a stream whose content comes further on in the page, in the place of what asks to wait for it. */
  const brought = new Set([...html.matchAll(streamedPart)].map(([, id = '']) => `B:${id}`));
  let isReplaced = false;
  let hasFrameset = false;
  const mains = { empty: 0, full: 0 };
  /** Open places of content, the innermost last. */
  const roots: { name: string; depth: number; textBefore: number; hasParts: boolean }[] = [];

  scanHtml(html, {
    onStartTag(name, attributes) {
      if (headNames.has(name)) reader.onStartTag(name, attributes);
      const shown =
        unseen.inside === null && region.side === 'content' ? shownPageOf(name, attributes) : null;
      if (shown !== null) {
        if (name !== 'frame') page.frames.push(shown);
        else page.isFrameset ||= hasFrameset;
      }
      const isUnseen = unseen.start(name, attributes);
      if (!isUnseen && unseen.inside === null) {
        hasFrameset ||= name === 'frameset' && page.textLength === 0;
        const around = region.side;
        const isAway = isReplaced || isHidden(attributes) || around === 'away';
        region.start(name, isReplaced ? new Map([...attributes, ['hidden', '']]) : attributes);
        isReplaced = false;
        placeholders.onStartTag(
          name,
          attributes,
          isAway || region.side === 'away' ? 'away' : isBesideByItself(name) ? region.side : around,
        );
        markup.onStartTag(name, attributes, region.side);
      } else if (name === 'template') markup.onTemplate(attributes);
      if (unseen.inside === 'template') {
        if (name !== 'template') held.start(name, attributes);
        else {
          held = new PageRegion();
          isReplaced = brought.has(attributes.get('id') ?? '');
        }
      }
      if (name === 'script') {
        script = kindOfScript(attributes);
        heldBefore = page.heldText.length;
        if (script === 'program') {
          page.programs++;
          page.inlineScripts.push('');
          const address = attributes.get('src');
          if (address !== undefined && !attributes.has('nomodule')) page.scriptSources.push(address);
        }
      }
      if ((name === 'body' || name === 'frameset') && attributes.has('onload')) {
        page.programs++;
        page.inlineScripts.push(attributes.get('onload') ?? '');
      }
      for (const root of roots) {
        root.hasParts = true;
        if (root.name === name) root.depth++;
      }
      if (unseen.inside === null && roots.length < maxRoots && isAppRoot(name, attributes, region.side))
        roots.push({ name, depth: 1, textBefore: page.textLength, hasParts: false });
    },
    onText(text) {
      const { inside } = unseen;
      if (inside === 'script') {
        const before = script === 'program' ? (page.inlineScripts.at(-1) ?? '').length : shortScript;
        const short = Math.min(shortScript - before, 2 * scannedText - scriptLength);
        const kept = text.slice(0, Math.max(0, scannedText - scriptLength, short));
        scriptLength += kept.length;
        if (script === 'program') page.inlineScripts.push((page.inlineScripts.pop() ?? '') + kept);
        else if (script === 'json') page.jsonText += kept;
        else if (script !== 'other') page.heldText += kept;
      } else if (inside === 'template' && !region.isAround && !held.isAround)
        page.heldText += text.slice(0, Math.max(0, scannedText - page.heldText.length));
      else if (inside === 'noscript')
        page.noscriptText += text.slice(0, Math.max(0, scannedText - page.noscriptText.length));
      if (inside !== null) return;
      for (const word of wordsOf(text)) {
        const length = word.trim().length;
        page.textLength += length;
        if (region.side === 'content') page.contentLength += length;
        if (page.shownText.length < scannedText) page.shownText += word;
        placeholders.onText(word);
        markup.onText(word);
      }
    },
    onEndTag(name) {
      if (headNames.has(name)) reader.onEndTag(name);
      if (name === 'script' && (script === 'held' || script === 'template')) {
        const text = page.heldText.slice(heldBefore);
        const isOther = (script === 'held' ? code : gap).test(text);
        const kept = isOther ? '' : script === 'template' ? contentTextOf(text) : text;
        page.heldText = page.heldText.slice(0, heldBefore) + kept;
      }
      if (unseen.inside === 'template') held.end(name);
      if (!unseen.end(name) && unseen.inside === null) {
        region.end(name);
        placeholders.onEndTag(name);
        markup.onEndTag(name);
      }
      for (const root of roots) if (root.name === name) root.depth--;
      for (let root = roots.at(-1); root?.depth === 0; root = roots.at(-1)) {
        roots.pop();
        const isEmpty = page.textLength - root.textBefore < emptyRootText;
        if (root.name === 'main' && (!isEmpty || root.hasParts)) mains[isEmpty ? 'empty' : 'full']++;
        else if (isEmpty) page.mark ??= 'an empty root';
      }
    },
  });
  // A page may have several, one for advertisements only.
  if (mains.empty > 0 && mains.full === 0) page.mark ??= 'an empty root';
  if (hasBlazorPart(html)) page.mark ??= 'a part of Blazor';
  page.mark ??= placeholders.found ?? markup.found;
  page.props = markup.props;
  page.guess = placeholders.guessed ?? markup.guessed;
  return { ...page, head: reader.head(), hasRefresh: reader.hasRefresh() };
}

/** Where Blazor puts a component that the server has not written. */
const hasBlazorPart = (html: string): boolean =>
  [...html.matchAll(/<!--Blazor:(\{[^>]*)/g)].some(([, told = '']) => !/"prerenderId"\s*:\s*"/.test(told));

/** The text of a template, without that of windows, forms and the like. */
function contentTextOf(html: string): string {
  const region = new PageRegion();
  const unseen = new UnseenElements(unseenElements);
  let content = '';
  scanHtml(html, {
    onStartTag(name, attributes) {
      if (!unseen.start(name, attributes) && unseen.inside === null) region.start(name, attributes);
    },
    onText(text) {
      if (unseen.inside === null && !region.isAround) content += text;
    },
    onEndTag(name) {
      if (!unseen.end(name) && unseen.inside === null) region.end(name);
    },
  });
  return content;
}

/** Says what it is by its own name, unlike the place that a class is about. */
const isBesideByItself = (name: string): boolean =>
  name.includes('-') || /^(aside|nav|header|footer|menu)$/.test(name);

type ScriptKind = 'program' | 'json' | 'held' | 'template' | 'other';

function kindOfScript(attributes: ReadonlyMap<string, string>): ScriptKind {
  const type = (attributes.get('type') ?? '').trim().toLowerCase();
  if (programTypes.test(type)) return 'program';
  if (dataTypes.test(type)) return 'json';
  if (!heldTypes.test(type) || isBesideByName(attributes)) return 'other';
  return templateTypes.test(type) ? 'template' : 'held';
}

function isAppRoot(name: string, attributes: ReadonlyMap<string, string>, side: Side): boolean {
  if (side === 'away') return false;
  if (name === 'main') return side === 'content';
  return appRoots.test(attributes.get('id') ?? '') || name.endsWith('-root');
}
