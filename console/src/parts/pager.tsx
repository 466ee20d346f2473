/** The cursors of the pages before this one, the latest last. */
export type Cursors = readonly string[];

/** Leads through a list that the service answers page by page. */
export function Pager({
  cursors,
  next,
  onChange,
}: {
  cursors: Cursors;
  next: string | null | undefined;
  onChange(cursors: Cursors): void;
}) {
  return (
    <div className="actions">
      <button
        type="button"
        className="button"
        disabled={cursors.length === 0}
        onClick={() => onChange(cursors.slice(0, -1))}
      >
        Newer
      </button>
      <button
        type="button"
        className="button"
        disabled={next == null}
        onClick={() => onChange([...cursors, next ?? ''])}
      >
        Older
      </button>
    </div>
  );
}
