import type { Nodes, Parents } from 'mdast';
import type { Attention, Handle, Info, SafeConfig, State, Unsafe } from 'mdast-util-to-markdown';

type Line = Parameters<State['containerPhrasing']>[0];
/** What a text must not hold to be written as it is, and what it must not begin with. */
interface Care {
  patterns: readonly Unsafe[];
  anywhere: RegExp;
  atStart: RegExp;
}
export type CareCache = Map<string, Care>;

/**
 * Has a state of mdast-util-to-markdown write what is plain without its fifty patterns a text and its weighing of
 * marks; what is written stays the same.
 */
export function quicken(state: State, cache: CareCache): void {
  const { safe, containerPhrasing } = state;
  const careOf = (): Care => {
    const scope = state.stack.join();
    let care = cache.get(scope);
    if (care === undefined) cache.set(scope, (care = createCare(state)));
    return care;
  };
  state.safe = (input, config) => {
    const value = input ?? '';
    const { anywhere, patterns } = careOf();
    if (isSafe(value, config, anywhere)) return value;
    const { unsafe } = state;
    const whole = `${config.before ?? ''}${value}${config.after ?? ''}`;
    state.unsafe = patterns.filter(({ character }) => whole.includes(character));
    const escaped = safe.call(state, value, config);
    state.unsafe = unsafe;
    return escaped;
  };
  state.containerPhrasing = (parent, info) => {
    const depths = [state.stack.length, state.indexStack.length] as const;
    const line = new LineWriter(state, careOf).write(parent, info, false)?.join('');
    if (line !== undefined) return line;
    [state.stack.length, state.indexStack.length] = depths;
    return containerPhrasing.call(state, parent, info);
  };
}

function isSafe(value: string, { before, after }: Partial<SafeConfig>, care: RegExp): boolean {
  if (value.includes('\\')) return false;
  const start = before?.length ?? 0;
  care.lastIndex = start;
  const found = care.exec(`${before ?? ''}${value}${after ?? ''}`);
  return found === null || found.index >= start + value.length;
}

/** All patterns of what is open as one, which looks around a character in place of taking what stands there. */
function createCare(state: State): Care {
  const isOpen = (constructs: Unsafe['inConstruct'], without: boolean): boolean => {
    const list = typeof constructs === 'string' ? [constructs] : (constructs ?? []);
    return list.length === 0 ? without : list.some((one) => state.stack.includes(one));
  };
  const open = state.unsafe.filter(
    ({ inConstruct, notInConstruct }) => isOpen(inConstruct, true) && !isOpen(notInConstruct, false),
  );
  const sources = open.map(({ atBreak, before, character, after, beforeNode, afterNode }) => {
    const one = character.replace(/[$()*+.?[\\\]^{|}]/, '\\$&');
    if (beforeNode !== undefined || afterNode !== undefined) return one;
    const ahead = `${atBreak === true ? '[\\r\\n][\\t ]*' : ''}${before == null ? '' : `(?:${before})`}`;
    return `${one}${ahead === '' ? '' : `(?<=${ahead}${one})`}${after == null ? '' : `(?=${after})`}`;
  });
  const source = sources.join('|') || '(?!)';
  return { patterns: open, anywhere: new RegExp(source, 'g'), atStart: new RegExp(source, 'y') };
}

const firstOf = (text: string): string => (text === '' ? '' : String.fromCodePoint(text.codePointAt(0) ?? 0));

function lastOf(text: string): string {
  const code = text.codePointAt(text.length - 2);
  return code !== undefined && code > 0xffff ? text.slice(-2) : text.slice(-1);
}

/**
 * White space, punctuation, or what words are made of: the standard's terms for what stands beside marks. Halves of a
 * surrogate pair count as letters, as in the library.
 */
type Kind = 'space' | 'mark' | 'letter';

export function kindOf(character: string): Kind {
  if (/[\p{P}\p{S}]/u.test(character)) return 'mark';
  return /\s/.test(character) ? 'space' : 'letter';
}

/** Whether marks of emphasis between these form it, as they are and whatever else stands in the line. */
function forms(outside: string | undefined, inside: string | undefined): boolean {
  if (outside === undefined || inside === undefined) return false;
  const kind = kindOf(inside);
  return kind === 'letter' || (kind === 'mark' && kindOf(outside) !== 'letter');
}

/** Writes a line in one go where no mark of it can meet another. */
class LineWriter {
  readonly #state: State;
  readonly #care: () => Care;

  constructor(state: State, care: () => Care) {
    this.#state = state;
    this.#care = care;
  }

  /** @returns its parts, none of them empty; null where the library has to weigh them. */
  write(parent: Line, info: Info, isMarked: boolean): string[] | null {
    const state = this.#state;
    const { children } = parent;
    const parts: string[] = [];
    let { before } = info;
    /** The part whose mark has closed just before. */
    let closed = -1;
    let marked = false;
    state.indexStack.push(0);
    for (let index = 0; index < children.length; index++) {
      const child = children[index] as Nodes;
      state.indexStack[state.indexStack.length - 1] = index;
      const after =
        index + 1 < children.length ? this.#peek(children[index + 1] as Nodes, parent) : info.after;
      const attention = attentionOf(child, state);
      if (attention === null) {
        if (child.type === 'html' && (before === '\n' || before === '\r')) return null;
        const value = this.#inline(child, parent, { ...info, before, after });
        if (value === '') continue;
        if (closed >= 0 && !forms(value[0], parts[closed]?.at(-1))) return null;
        closed = -1;
        marked = false;
        parts.push(value);
        before = lastOf(value);
        continue;
      }
      const mark = (attention.markers[0] ?? '').repeat(attention.sizes[0] ?? 0);
      // Beside another mark or in another emphasis, the library may have to choose other marks.
      if (isMarked || marked || mark === '' || before.charAt(0) === mark.charAt(0)) return null;
      state.stack.push(attention.construct);
      const inside = this.write(child as Line, { ...info, before: mark, after: mark }, true);
      state.stack.pop();
      if (inside === null) return null;
      if (inside.length === 0) continue;
      if (!forms(before.at(-1), inside[0]?.[0])) return null;
      parts.push(mark, inside.join(''));
      closed = parts.length - 1;
      parts.push(mark);
      before = lastOf(mark);
      marked = true;
    }
    if (closed >= 0) {
      if (info.after.startsWith(before) || !forms(info.after[0], parts[closed]?.at(-1))) return null;
    }
    state.indexStack.pop();
    return parts;
  }

  #inline(child: Nodes, parent: Parents, info: Info): string {
    const state = this.#state;
    if (child.type === 'text' && isSafe(child.value, info, this.#care().anywhere)) return child.value;
    return state.handle(child, parent, state, info);
  }

  /** What this will begin with. */
  #peek(child: Nodes, parent: Parents): string {
    const state = this.#state;
    const info = { before: '', after: '', now: { line: 1, column: 1 }, lineShift: 0 };
    if (child.type === 'text') {
      const { atStart } = this.#care();
      atStart.lastIndex = 0;
      if (!atStart.test(child.value)) return firstOf(child.value);
    }
    const handle = state.handlers[child.type] as (Handle & { peek?: Handle }) | undefined;
    return handle === undefined ? '' : firstOf((handle.peek ?? handle)(child, parent, state, info));
  }
}

function attentionOf(node: Nodes, state: State): ReturnType<Attention> | null {
  const handle = state.handlers[node.type] as (Handle & { attention?: Attention }) | undefined;
  return handle?.attention?.(node as never, state) ?? null;
}
