import { type ReactNode, useId } from 'react';

export interface FieldProps {
  label: string;
  hint?: ReactNode;
  required?: boolean;
  /** Makes the control from what ties it to its label and hint. */
  children(attributes: { id: string; 'aria-describedby': string | undefined; required: boolean }): ReactNode;
}

/** A labelled control with its explanation. */
export function Field({ label, hint, required = false, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {required ? null : <span className="quiet"> optional</span>}
      </label>
      {children({ id, 'aria-describedby': hint === undefined ? undefined : hintId, required })}
      {hint === undefined ? null : (
        <div id={hintId} className="fine">
          {hint}
        </div>
      )}
    </div>
  );
}
