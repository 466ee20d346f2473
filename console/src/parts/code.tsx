import { Copy } from './copy.tsx';
import { cutShown } from './cut-shown.ts';

/** A text as programs take it, to be copied as a whole. It scrolls, also by keyboard. */
export function Code({ text, label, wrap = false }: { text: string; label: string; wrap?: boolean }) {
  return (
    <div className="code">
      <Copy value={text} of={label} />
      {/* What scrolls must take the focus, or the keyboard does not reach its end. */}
      <pre tabIndex={0} role="region" aria-label={label} className={wrap ? 'wrap' : ''}>
        <code>{cutShown(text)}</code>
      </pre>
    </div>
  );
}
