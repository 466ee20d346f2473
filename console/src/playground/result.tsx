import { lazy, Suspense } from 'react';
import { Code } from '../parts/code.tsx';
import { ownPath } from '../parts/own-path.ts';
import { Loading } from '../parts/page.tsx';
import { Review } from './review.tsx';

const Markdown = lazy(async () => ({ default: (await import('./markdown.tsx')).Markdown }));

type Fields = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Picture {
  url: string;
  title: string;
}

function pictureOf(value: unknown): Picture[] {
  if (!isObject(value) || typeof value.imageUrl !== 'string') return [];
  const at = typeof value.timestampSeconds === 'number' ? `At ${value.timestampSeconds} s` : undefined;
  return [
    { url: value.imageUrl, title: at ?? (typeof value.title === 'string' ? value.title : 'The picture') },
  ];
}

function picturesOf(data: Fields): Picture[] {
  return [...pictureOf(data), ...(Array.isArray(data.frames) ? data.frames.flatMap(pictureOf) : [])];
}

/** A result as people look at it, and as programs get it. @param text the whole answer. */
export function Result({ data, text }: { data: unknown; text: string }) {
  const fields = isObject(data) ? data : {};
  const pictures = picturesOf(fields);
  return (
    <>
      {pictures.length === 0 ? null : fields.format === 'pdf' ? (
        <p>
          <a className="button" href={ownPath(pictures[0]?.url ?? '')} target="_blank" rel="noreferrer">
            Open the PDF
          </a>
        </p>
      ) : (
        <div className="pictures">
          {pictures.map(({ url, title }) => (
            <a key={url} href={ownPath(url)} target="_blank" rel="noreferrer">
              <img src={ownPath(url)} alt={title} />
            </a>
          ))}
        </div>
      )}
      {Array.isArray(fields.issues) && isObject(fields.scores) ? <Review data={fields} /> : null}
      {typeof fields.markdown === 'string' ? (
        <Suspense fallback={<Loading />}>
          <div className="beside">
            <Markdown text={fields.markdown} />
            <Code text={fields.markdown} label="the markdown" wrap />
          </div>
        </Suspense>
      ) : null}
      <Code text={text} label="the answer" />
    </>
  );
}
