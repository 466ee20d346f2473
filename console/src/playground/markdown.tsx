import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { cutShown } from '../parts/cut-shown.ts';

/** Each element costs far more than its characters. */
const drawnCharacters = 50_000;

/** Drawn without its pictures, which are on hosts that this page does not ask: they are links. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="rendered" tabIndex={0} role="region" aria-label="the markdown, drawn">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          img: ({ src, alt }) => (
            <a href={typeof src === 'string' ? src : undefined} target="_blank" rel="noreferrer nofollow">
              picture: {alt === undefined || alt === '' ? 'without a text' : alt}
            </a>
          ),
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer nofollow">
              {children}
            </a>
          ),
        }}
      >
        {cutShown(text, drawnCharacters)}
      </ReactMarkdown>
    </div>
  );
}
