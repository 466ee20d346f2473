import { Tabs } from '@ark-ui/react/tabs';
import { type FormEvent, useState } from 'react';
import { call } from '../api/client.ts';
import type { Envelope, Job, JobPage } from '../api/answers.ts';
import { useLoad } from '../api/use-load.ts';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/notice.tsx';
import { ownPath } from '../parts/own-path.ts';
import { type Cursors, Pager } from '../parts/pager.tsx';
import { Empty, Loading, Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { go, to } from '../route.ts';

const kinds = [
  { label: 'Screenshots', operation: 'web.screenshot' },
  { label: 'Reviews', operation: 'web.review' },
  { label: 'Video frames', operation: 'video.screenshot' },
  { label: 'Series of frames', operation: 'video.screenshot-multiple' },
  { label: 'Articles', operation: 'video.article' },
  { label: 'Page summaries', operation: 'web.summarize-url' },
  { label: 'Website summaries', operation: 'web.summarize-website' },
  { label: 'Video summaries', operation: 'video.summary' },
] as const;

const limit = 24;

function Tile({ job }: { job: Job }) {
  const picture = job.files.find((file) => file.contentType.startsWith('image/'));
  return (
    <li>
      <a className="tile" href={to('jobs', job.id)}>
        {picture === undefined ? (
          <span className="no-picture">{job.files[0]?.contentType ?? job.operation}</span>
        ) : (
          <img src={ownPath(picture.url)} alt="" loading="lazy" />
        )}
        <span className="tile-text">
          <code>{job.id}</code>
          <Time at={job.createdAt} />
        </span>
      </a>
    </li>
  );
}

function Stored({ operation }: { operation: string }) {
  const [cursors, setCursors] = useState<Cursors>([]);
  const cursor = cursors.at(-1);
  const query = new URLSearchParams({
    operation,
    status: 'succeeded',
    limit: String(limit),
    ...(cursor === undefined ? {} : { cursor }),
  }).toString();
  const jobs = useLoad((signal) => call<Envelope<JobPage>>(`/api/proxy/jobs?${query}`, { signal }), [query]);
  if (jobs.data === null) return jobs.loading ? <Loading /> : <Failure error={jobs.error} />;
  const { jobs: found, nextCursor } = jobs.data.data;
  const isAll = cursor === undefined && nextCursor === null;
  return (
    <>
      <Failure error={jobs.error} />
      {found.length > 0 ? (
        <ul className="gallery">
          {found.map((job) => (
            <Tile key={job.id} job={job} />
          ))}
        </ul>
      ) : isAll ? (
        <Empty>
          Nothing is kept here. <a href={to('playground', operation)}>Make one in the playground</a>.
        </Empty>
      ) : (
        <Empty>None among the jobs that were looked through.</Empty>
      )}
      {isAll ? null : <Pager cursors={cursors} next={nextCursor} onChange={setCursors} />}
    </>
  );
}

function OpenById() {
  return (
    <form
      className="filters"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        go('jobs', String(new FormData(event.currentTarget).get('id')).trim());
      }}
    >
      <Field label="Open by id" required>
        {(attributes) => (
          <input
            {...attributes}
            name="id"
            autoComplete="off"
            placeholder="0197f3c2-8d3a-7c41-b6f2-…"
            size={38}
          />
        )}
      </Field>
      <button type="submit" className="button">
        Open
      </button>
    </form>
  );
}

export function Gallery() {
  const [operation, setOperation] = useState<string>(kinds[0].operation);
  return (
    <Page title="Gallery" intro="What was made and is still kept.">
      <OpenById />
      <Tabs.Root value={operation} onValueChange={({ value }) => setOperation(value)} lazyMount unmountOnExit>
        <Tabs.List className="tabs" aria-label="Kinds">
          {kinds.map((kind) => (
            <Tabs.Trigger key={kind.operation} value={kind.operation} className="tab">
              {kind.label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {kinds.map((kind) => (
          <Tabs.Content key={kind.operation} value={kind.operation}>
            <Stored operation={kind.operation} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </Page>
  );
}
