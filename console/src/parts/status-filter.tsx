import { Field } from './field.tsx';

/** Chooses which of a list are shown. @param value empty: all. */
export function StatusFilter({
  statuses,
  value,
  onChange,
}: {
  statuses: readonly string[];
  value: string;
  onChange(status: string): void;
}) {
  return (
    <div className="filters">
      <Field label="Status" required>
        {(attributes) => (
          <select {...attributes} value={value} onChange={(event) => onChange(event.target.value)}>
            <option value="">all</option>
            {statuses.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
}
