import { Tabs } from '@ark-ui/react/tabs';
import { type FormEvent, useRef, useState } from 'react';
import { setOwnKey, useOwnKey } from '../api/own-key.ts';
import { useLoad } from '../api/use-load.ts';
import { Code } from '../parts/code.tsx';
import { Field } from '../parts/field.tsx';
import { Failure } from '../parts/notice.tsx';
import { Card, Loading, Page } from '../parts/page.tsx';
import { counted } from '../parts/words.ts';
import { Badge } from '../parts/badge.tsx';
import { go, to } from '../route.ts';
import { isLive, Progress } from '../pages/job-table.tsx';
import { useJob } from '../pages/use-job.ts';
import { FieldControl } from './control.tsx';
import { loadOperations, type PlaygroundOperation } from './document.ts';
import { buildRequest, fieldKey, firstValues, type Values } from './request.ts';
import { Result } from './result.tsx';
import { samplesOf } from './samples.ts';
import { type Answer, send } from './send.ts';

function OwnKey() {
  const key = useOwnKey();
  return (
    <Field
      label="API key"
      required
      hint={
        <>
          Kept in this tab only. <a href={to('keys')}>Create one</a> if you have none.
        </>
      }
    >
      {(attributes) => (
        <input
          {...attributes}
          type="password"
          value={key}
          placeholder="svc_live_…"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setOwnKey(event.target.value.trim())}
        />
      )}
    </Field>
  );
}

/** A job that was accepted and goes on: its state until it ends. */
function Following({ id }: { id: string }) {
  const job = useJob(id, 1_500).data?.data;
  if (job === undefined) return null;
  return (
    <div role="status">
      <p>
        The job goes on: <Badge status={job.status} /> <Progress job={job} />
      </p>
      <p>
        <a href={to('jobs', id)}>{isLive(job) ? 'Follow it on its page' : 'See its result'}</a>
      </p>
    </div>
  );
}

/** Descriptions have code between backticks. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>));

const dataOf = (body: unknown): unknown =>
  typeof body === 'object' && body !== null && 'data' in body ? body.data : body;

/** The key will never be accepted again. */
const hasLostKey = ({ body }: Answer) =>
  typeof body === 'object' &&
  body !== null &&
  'code' in body &&
  (body.code === 'key_revoked' || body.code === 'key_expired');

/** What no text shows. */
function Media({ type, path }: { type: string; path: string }) {
  return (
    <>
      {type.startsWith('image/') ? (
        <div className="pictures">
          <img src={path} alt="The answer" />
        </div>
      ) : null}
      <p>
        <a className="button" href={path} target="_blank" rel="noreferrer">
          Open it ({type})
        </a>
      </p>
    </>
  );
}

function AnswerCard({ answer, path }: { answer: Answer; path: string }) {
  const isGood = answer.status < 400;
  const data = dataOf(answer.body);
  const jobId =
    answer.status === 202 && typeof data === 'object' && data !== null && 'id' in data
      ? String(data.id)
      : null;
  return (
    <Card title="Answer">
      <p className="answer-head" role="status">
        <span className={`badge ${isGood ? 'good' : 'bad'}`}>{answer.status}</span> in {answer.ms} ms
        {answer.remaining === null ? '' : `, ${counted(answer.remaining, 'request')} left in this hour`}
      </p>
      {jobId === null ? null : <Following id={jobId} />}
      {answer.text === null ? (
        <Media type={answer.type} path={path} />
      ) : isGood && jobId === null ? (
        <Result data={data} text={answer.text} />
      ) : (
        <Code text={answer.text} label="the answer" />
      )}
    </Card>
  );
}

function OperationForm({ operation }: { operation: PlaygroundOperation }) {
  const ownKey = useOwnKey();
  const [values, setValues] = useState<Values>(() => firstValues(operation));
  const [answer, setAnswer] = useState<(Answer & { path: string }) | null>(null);
  const [error, setError] = useState<unknown>(null);
  const running = useRef<AbortController | null>(null);
  const [busy, setBusy] = useState(false);
  const request = buildRequest(operation, values);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (busy) return;
    const abort = new AbortController();
    running.current = abort;
    setBusy(true);
    setError(null);
    setAnswer(null);
    try {
      const key = operation.takesKey && ownKey !== '' ? ownKey : null;
      await send(request, key, abort.signal, (sent) => {
        setAnswer({ ...sent, path: request.path });
        if (hasLostKey(sent)) setOwnKey('');
      });
    } catch (failure) {
      if (!abort.signal.aborted) setError(failure);
    } finally {
      if (running.current === abort) setBusy(false);
    }
  }

  const control = (field: PlaygroundOperation['fields'][number]) => (
    <FieldControl
      key={fieldKey(field)}
      field={field}
      value={values[fieldKey(field)] ?? ''}
      onChange={(value) => setValues((before) => ({ ...before, [fieldKey(field)]: value }))}
    />
  );
  const first = operation.fields.filter((field) => field.required);
  const others = operation.fields.filter((field) => !field.required);
  return (
    <>
      <div className="about">
        <p>
          <code>
            {operation.method} {operation.path}
          </code>
        </p>
        <p className="quiet">{withCode(operation.description)}</p>
      </div>
      <form className="card" onSubmit={(event) => void submit(event)}>
        {operation.takesKey ? <OwnKey /> : <p className="fine">Asked with your session; no key is sent.</p>}
        {first.map(control)}
        {others.length === 0 ? null : (
          <details open={first.length === 0}>
            <summary>Options ({others.length})</summary>
            <div className="options">{others.map(control)}</div>
          </details>
        )}
        <div className="actions">
          <button type="submit" className="button primary" aria-disabled={busy}>
            {busy ? 'Waiting for the answer …' : 'Send'}
          </button>
          {busy ? (
            <button type="button" className="button" onClick={() => running.current?.abort()}>
              Stop waiting
            </button>
          ) : null}
        </div>
      </form>
      <Failure error={error} />
      {answer === null ? null : <AnswerCard answer={answer} path={answer.path} />}
      <Card title="The same request elsewhere">
        <Tabs.Root defaultValue="curl" lazyMount unmountOnExit>
          <Tabs.List className="tabs" aria-label="Languages">
            {samplesOf({ ...request, origin: location.origin, takesKey: operation.takesKey }).map(
              ({ name }) => (
                <Tabs.Trigger key={name} value={name} className="tab">
                  {name}
                </Tabs.Trigger>
              ),
            )}
          </Tabs.List>
          {samplesOf({ ...request, origin: location.origin, takesKey: operation.takesKey }).map(
            ({ name, text }) => (
              <Tabs.Content key={name} value={name}>
                <Code text={text} label={`the ${name} code`} />
              </Tabs.Content>
            ),
          )}
        </Tabs.Root>
      </Card>
    </>
  );
}

const firstOperation = 'web.scrape';

export function Playground({ operationId = firstOperation }: { operationId: string | undefined }) {
  const loaded = useLoad(loadOperations, []);
  const operations = loaded.data ?? [];
  const chosen =
    operations.find(({ id }) => id === operationId) ?? operations.find(({ id }) => id === firstOperation);
  const areas = [...new Set(operations.map(({ area }) => area))];
  return (
    <Page
      title="Playground"
      intro={
        <>
          Every call of the API, with the form that its contract makes. All of it in words:{' '}
          <a href="/docs">the reference</a>.
        </>
      }
    >
      <Failure error={loaded.error} />
      {chosen === undefined ? (
        loaded.loading ? (
          <Loading />
        ) : null
      ) : (
        <>
          <div className="filters">
            <Field label="Operation" required>
              {(attributes) => (
                <select
                  {...attributes}
                  value={chosen.id}
                  onChange={(event) => go('playground', event.target.value)}
                >
                  {areas.map((area) => (
                    <optgroup key={area} label={area}>
                      {operations
                        .filter((operation) => operation.area === area)
                        .map(({ id, summary }) => (
                          <option key={id} value={id}>
                            {summary} ({id})
                          </option>
                        ))}
                    </optgroup>
                  ))}
                </select>
              )}
            </Field>
          </div>
          <OperationForm key={chosen.id} operation={chosen} />
        </>
      )}
    </Page>
  );
}
