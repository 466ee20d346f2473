/** A piece of HTML whose foreign parts are escaped. */
export interface Html {
  readonly text: string;
}

type Part = Html | string | number;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Everything that is put in is escaped, unless it is HTML of ours already. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const written = parts.map((part) => (typeof part === 'object' ? part.text : escape(String(part))));
  return { text: strings.map((string, at) => string + (written[at] ?? '')).join('') };
}

export function join(list: readonly Html[]): Html {
  return { text: list.map(({ text }) => text).join('\n') };
}
