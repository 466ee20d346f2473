import { Field } from '../parts/field.tsx';
import type { RequestField } from './document.ts';
import { controlOf, toText } from './request.ts';

const boundsOf = ({ minimum, maximum }: RequestField['schema']): string =>
  minimum === undefined || maximum === undefined || maximum > 1e12 ? '' : ` ${minimum} to ${maximum}.`;

/** The control of one field, by what its schema allows. */
export function FieldControl({
  field,
  value,
  onChange,
}: {
  field: RequestField;
  value: string;
  onChange(value: string): void;
}) {
  const { schema, name, required } = field;
  const control = controlOf(schema);
  const preset = toText(schema.default, schema);
  const hint = [
    field.description,
    boundsOf(schema).trim(),
    control === 'lines' ? 'One on each line.' : control === 'json' ? 'As JSON.' : '',
    preset === '' ? '' : `Default: ${preset}.`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');

  return (
    <Field label={name} hint={hint === '' ? undefined : hint} required={required}>
      {(attributes) => {
        const common = {
          ...attributes,
          name,
          value,
          // The service checks what it is sent, and says what is wrong with it.
          required: false,
          'aria-required': required,
          onChange: (event: { target: { value: string } }) => onChange(event.target.value),
        };
        if (control === 'choice' || control === 'switch') {
          const choices = control === 'switch' ? ['true', 'false'] : (schema.enum ?? []).map(String);
          return (
            <select {...common}>
              <option value="">{preset === '' ? '(not sent)' : `(default: ${preset})`}</option>
              {choices.map((choice) => (
                <option key={choice}>{choice}</option>
              ))}
            </select>
          );
        }
        if (control === 'lines' || control === 'json')
          return <textarea {...common} rows={3} spellCheck={false} />;
        return (
          <input
            {...common}
            type={control === 'number' ? 'number' : 'text'}
            inputMode={schema.format === 'uri' || name === 'url' ? 'url' : undefined}
            min={schema.minimum}
            max={schema.maximum}
            step="any"
            placeholder={preset}
            autoComplete="off"
            spellCheck={false}
          />
        );
      }}
    </Field>
  );
}
