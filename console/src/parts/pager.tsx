/** The cursors of the pages before this one, the latest last. */
export type Cursors = readonly string[];

/** Leads through a list that the service answers page by page; nothing where it has one page only. */
export function Pager({
  cursors,
  next,
  onChange,
}: {
  cursors: Cursors;
  next: string | null | undefined;
  onChange(cursors: Cursors): void;
}) {
  if (cursors.length === 0 && next == null) return null;
  return (
    <div className="actions pager">
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
