import ReactMarkdown from 'react-markdown';
import remarkGfm from 'remark-gfm';

/** Drawn without its pictures, which are on hosts that this page does not ask: they are links. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className="rendered" tabIndex={0} role="region" aria-label="the markdown, drawn">
      <ReactMarkdown
        remarkPlugins={[remarkGfm]}
        components={{
          img: ({ src, alt }) => (
            <a href={typeof src === 'string' ? src : undefined}>picture: {alt ?? 'without a text'}</a>
          ),
          a: ({ href, children }) => (
            <a href={href} target="_blank" rel="noreferrer nofollow">
              {children}
            </a>
          ),
        }}
      >
        {text}
      </ReactMarkdown>
    </div>
  );
}
