import { Button } from '../../components/button';
import { SelectField, TextArea, TextField } from '../../components/fields';
import { Icon } from '../../components/icon';
import { type Conversion, conversionNames, dateForms, type MappedField } from './mapping';
import styles from './setup.module.css';

interface MappingRowProps {
  row: MappedField;
  samples: readonly string[] | undefined;
  onChange: (row: MappedField) => void;
  onRemove: () => void;
}

const conversions = Object.entries(conversionNames).map(([value, label]) => ({ value, label }));

export function MappingRow({ row, samples, onChange, onRemove }: MappingRowProps) {
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
