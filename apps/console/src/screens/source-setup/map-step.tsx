import { useQuery } from '@tanstack/react-query';
import { Button, Icon } from '../../components/button';
import { SelectField, TextArea, TextField } from '../../components/fields';
import { ErrorState, Loading } from '../../components/page';
import { useTenantId } from '../../data/api';
import type { Draft } from './draft';
import {
  type Conversion,
  conversionNames,
  dateForms,
  fieldsOf,
  type MappedField,
  newField,
  suggestExternalId,
  suggestFields,
} from './mapping';
import styles from './setup.module.css';
import { MappedRecords, probeQuery } from './test-step';

interface MapStepProps {
  sourceId: string;
  draft: Draft;
  hasDefault: boolean;
  onChange: (change: Partial<Draft>) => void;
  /** Stores the mapping, so that the source can be tested with it. */
  onSave: () => Promise<boolean>;
}

/** Which field of the source becomes which field of idsync, with values of real records beside each. */
export function MapStep({ sourceId, draft, hasDefault, onChange, onSave }: MapStepProps) {
  const tenantId = useTenantId();
  const found = useQuery(probeQuery(tenantId, sourceId, 'discover'));
  const test = useQuery({ ...probeQuery(tenantId, sourceId, 'test'), enabled: false });
  if (found.isFetching) return <Loading rows={5} />;
  if (found.error) return <ErrorState error={found.error} onRetry={found.refetch} />;
  const samples = new Map((found.data?.fields ?? []).map(({ name, examples }) => [name, examples]));
  const names = [...samples.keys()];
  const replace = (row: MappedField) =>
    onChange({ fields: draft.fields.map((each) => (each.key === row.key ? row : each)) });
  const suggest = () =>
    onChange({
      fields: suggestFields(draft.records, names),
      externalId: draft.externalId || (suggestExternalId(names) ?? ''),
    });
  const check = async () => {
    if (await onSave()) await test.refetch();
  };
  const unmapped = names.filter((name) => !draft.fields.some(({ from }) => from === name) && name !== draft.externalId);
  return (
    <div className={styles.form}>
      <datalist id="source-fields">
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id="target-fields">
        {[...fieldsOf(draft.records), 'attributes.'].map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {draft.fields.length === 0 && (
        <div className={styles.suggest}>
          <p>
            {hasDefault
              ? 'This type has a mapping already, which fits most installations. Add fields only to replace it.'
              : 'No field is mapped yet. Begin with the fields whose names are usual, then complete them.'}
          </p>
          {names.length > 0 && (
            <Button look={hasDefault ? 'plain' : 'primary'} onClick={suggest}>
              Suggest a mapping
            </Button>
          )}
        </div>
      )}
      {(!hasDefault || draft.fields.length > 0 || draft.externalId !== '') && (
        <div className={styles.pair}>
          <TextField
            label="Permanent id of a record"
            hint="Never changes and is never reused: it recognises a record in the next run."
            list="source-fields"
            required={!hasDefault}
            value={draft.externalId}
            onChange={(externalId) => onChange({ externalId })}
          />
          <Sample values={samples.get(draft.externalId)} />
        </div>
      )}
      {draft.fields.length > 0 && (
        <ul className={styles.mapping} aria-label="Fields">
          {draft.fields.map((row) => (
            <MappingRow
              key={row.key}
              row={row}
              samples={samples.get(row.from)}
              onChange={replace}
              onRemove={() => onChange({ fields: draft.fields.filter(({ key }) => key !== row.key) })}
            />
          ))}
        </ul>
      )}
      <div className={styles.row}>
        <Button small onClick={() => onChange({ fields: [...draft.fields, newField()] })}>
          <Icon name="plus" size={14} />
          Add a field
        </Button>
        {unmapped.length > 0 && draft.fields.length > 0 && (
          <span className={styles.hint}>
            {unmapped.length} {unmapped.length === 1 ? 'field of the source is' : 'fields of the source are'} not
            mapped: <span dir="auto">{unmapped.slice(0, 6).join(', ')}</span>
            {unmapped.length > 6 && ', …'}
          </span>
        )}
      </div>
      <div className={styles.row}>
        <Button onClick={check} disabled={test.isFetching}>
          {test.isFetching ? 'Reading…' : 'Check with real records'}
        </Button>
      </div>
      {test.error && <ErrorState error={test.error} />}
      {!test.isFetching && test.data && <MappedRecords probe={test.data} />}
    </div>
  );
}

function Sample({ values }: { values: readonly string[] | undefined }) {
  return (
    <div className={styles.sample}>
      <span className={styles.sampleLabel}>Values of the source</span>
      <span dir="auto">{values?.join(' · ') || '—'}</span>
    </div>
  );
}

interface MappingRowProps {
  row: MappedField;
  samples: readonly string[] | undefined;
  onChange: (row: MappedField) => void;
  onRemove: () => void;
}

const conversions = Object.entries(conversionNames).map(([value, label]) => ({ value, label }));

function MappingRow({ row, samples, onChange, onRemove }: MappingRowProps) {
  const set = (change: Partial<MappedField>) => onChange({ ...row, ...change });
  const named = row.field || 'new field';
  return (
    <li className={styles.mappingRow}>
      <TextField
        label={row.conversion === 'constant' ? 'Text' : 'Field of the source'}
        list={row.conversion === 'constant' ? undefined : 'source-fields'}
        dir="auto"
        value={row.from}
        onChange={(from) => set({ from })}
      />
      <SelectField
        label="Conversion"
        value={row.conversion}
        choices={conversions}
        onChange={(conversion) => set({ conversion: conversion as Conversion, argument: '' })}
      />
      <TextField label="Field of idsync" list="target-fields" value={row.field} onChange={(field) => set({ field })} />
      <Button look="quiet" iconOnly aria-label={`Remove ${named}`} onClick={onRemove}>
        <Icon name="close" />
      </Button>
      <Argument row={row} onChange={(argument) => set({ argument })} />
      {row.conversion !== 'constant' && (
        <p className={styles.rowSample} dir="auto">
          {samples?.join(' · ') || (row.from === '' ? '' : 'No value in the first records')}
        </p>
      )}
    </li>
  );
}

function Argument({ row, onChange }: { row: MappedField; onChange: (argument: string) => void }) {
  const field = argumentOf(row, onChange);
  return field && <div className={styles.argument}>{field}</div>;
}

function argumentOf({ conversion, argument: value }: MappedField, onChange: (argument: string) => void) {
  switch (conversion) {
    case 'split':
      return <TextField label="At these characters" maxLength={8} placeholder=";" value={value} onChange={onChange} />;
    case 'date':
      return (
        <SelectField
          label="Form of the date"
          value={value || 'iso'}
          choices={dateForms.map((form) => ({ value: form, label: form }))}
          onChange={onChange}
        />
      );
    case 'map':
      return (
        <TextArea
          label="Replacements"
          hint="One on each line: A = active. * = inactive is for all other values."
          rows={3}
          spellCheck={false}
          value={value}
          onChange={onChange}
        />
      );
    case 'steps':
      return (
        <TextArea
          label="Steps as JSON"
          hint={'Such as ["trim", {"split": ";"}, "lower"].'}
          rows={2}
          spellCheck={false}
          value={value}
          onChange={onChange}
        />
      );
    default:
      return null;
  }
}
