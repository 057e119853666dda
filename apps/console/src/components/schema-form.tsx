import type { Schema } from '../data/connector-types';
import { CheckField, FieldGroup, SelectField, TextArea, TextField } from './fields';
import { labelOf, linesOf } from './words';

interface SchemaFormProps {
  schema: Schema;
  /** Only these properties, in this order. */
  names: readonly string[];
  value: Readonly<Record<string, unknown>>;
  /** Message of the service for a property. */
  errors?: Readonly<Record<string, string>>;
  onChange: (name: string, value: unknown) => void;
}

/** A form of the properties of a JSON Schema. Empty fields are left out, so that the service applies its defaults. */
export function SchemaForm({ schema, names, value, errors = {}, onChange }: SchemaFormProps) {
  return names.map((name) => (
    <SchemaField
      key={name}
      name={name}
      schema={schema.properties?.[name] ?? {}}
      isRequired={schema.required?.includes(name) ?? false}
      value={value[name]}
      error={errors[name]}
      onChange={(next) => onChange(name, next)}
    />
  ));
}

interface SchemaFieldProps {
  name: string;
  schema: Schema;
  isRequired: boolean;
  value: unknown;
  error?: string;
  onChange: (value: unknown) => void;
}

const longText = 8_193;

function SchemaField(props: SchemaFieldProps) {
  const { name, schema, isRequired, value, error, onChange } = props;
  const label = isRequired || schema.type === 'boolean' ? labelOf(name) : `${labelOf(name)} (optional)`;
  const hint = schema.description?.replaceAll('`', '');
  const common = { label, hint, error, required: isRequired };
  if (schema.oneOf) return <Variants {...props} />;
  if (schema.properties) return <Nested {...props} />;
  if (schema.enum) {
    const standard = schema.default === undefined ? '' : `Default: ${String(schema.default)}`;
    const none = isRequired ? [] : [{ value: '', label: standard || 'Default' }];
    const choices = [...none, ...schema.enum.map((each) => ({ value: each, label: each }))];
    const chosen = typeof value === 'string' ? value : '';
    const first = isRequired && chosen === '' ? [{ value: '', label: 'Choose…' }] : [];
    return (
      <SelectField
        {...common}
        value={chosen}
        choices={[...first, ...choices]}
        onChange={(text) => onChange(text || undefined)}
      />
    );
  }
  if (schema.type === 'boolean') {
    return (
      <CheckField
        label={label}
        hint={hint}
        checked={typeof value === 'boolean' ? value : schema.default === true}
        onChange={onChange}
      />
    );
  }
  if (schema.type === 'integer') {
    return (
      <TextField
        {...common}
        type="number"
        min={schema.minimum}
        max={schema.maximum}
        placeholder={schema.default === undefined ? undefined : String(schema.default)}
        value={value === undefined ? '' : String(value)}
        onChange={(text) => onChange(text === '' ? undefined : Number(text))}
      />
    );
  }
  if (schema.type === 'array') {
    return (
      <TextArea
        {...common}
        hint={[hint, 'One on each line.'].filter(Boolean).join(' ')}
        rows={2}
        placeholder={Array.isArray(schema.default) ? schema.default.join('\n') : undefined}
        value={Array.isArray(value) ? value.join('\n') : ''}
        onChange={(text) => onChange(linesOf(text))}
      />
    );
  }
  const text = {
    ...common,
    spellCheck: false,
    autoComplete: 'off',
    placeholder: schema.default === undefined ? undefined : String(schema.default),
    value: typeof value === 'string' ? value : '',
    onChange: (given: string) => onChange(given === '' ? undefined : given),
  };
  return (schema.maxLength ?? 0) >= longText ? <TextArea {...text} rows={3} /> : <TextField {...text} />;
}

/** One of several objects, which their `type` distinguishes. */
function Variants({ name, schema, value, error, isRequired, onChange }: SchemaFieldProps) {
  const given = (value ?? schema.default ?? {}) as Record<string, unknown>;
  const variants = schema.oneOf ?? [];
  const typeOf = (variant: Schema | undefined) => String(variant?.properties?.type?.const ?? '');
  const current = variants.find((variant) => typeOf(variant) === given.type);
  const none = isRequired || schema.default !== undefined ? [] : [{ value: '', label: 'None' }];
  const choices = variants.filter((each) => typeOf(each) !== 'none' || none.length === 0).map(typeOf);
  return (
    <>
      <SelectField
        label={labelOf(name)}
        hint={(current?.description ?? schema.description)?.replaceAll('`', '')}
        error={error}
        value={typeof given.type === 'string' ? given.type : ''}
        choices={[...none, ...choices.map((type) => ({ value: type, label: labelOf(type) }))]}
        onChange={(type) => onChange(type === '' ? undefined : { type })}
      />
      {current && (
        <SchemaForm
          schema={current}
          names={Object.keys(current.properties ?? {}).filter((each) => each !== 'type')}
          value={given}
          onChange={(property, next) => onChange({ ...given, [property]: next })}
        />
      )}
    </>
  );
}

function Nested({ name, schema, value, onChange }: SchemaFieldProps) {
  const given = (value ?? {}) as Record<string, unknown>;
  return (
    <FieldGroup legend={labelOf(name)} hint={schema.description}>
      <SchemaForm
        schema={schema}
        names={Object.keys(schema.properties ?? {})}
        value={given}
        onChange={(property, next) => onChange({ ...given, [property]: next })}
      />
    </FieldGroup>
  );
}
