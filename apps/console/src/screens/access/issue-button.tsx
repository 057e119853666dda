import { type ComponentProps, type ReactNode, useState } from 'react';
import { FormButton, type Issued } from '../../components/dialog';
import { TextField } from '../../components/fields';
import { endOfDay } from './describe-access';

interface IssueButtonProps extends Omit<ComponentProps<typeof FormButton>, 'action' | 'small' | 'onSubmit'> {
  /** The kind of secret, as its title begins. */
  noun: string;
  nameHint: string;
  firstName?: string;
  /** Above the name. */
  intro?: ReactNode;
  onIssue: (given: { name: string; expires_at: string | undefined }) => Promise<Issued['secrets'][number]>;
}

/** Issues a key or a token with a name and an expiry, and shows it once. The children are its other fields. */
export function IssueButton(props: IssueButtonProps) {
  const { noun, nameHint, firstName = '', intro, isReady = true, onOpen, onIssue, children, ...button } = props;
  const [name, setName] = useState(firstName);
  const [expires, setExpires] = useState('');
  const open = () => {
    setName(firstName);
    setExpires('');
    onOpen?.();
  };
  const issue = async () => {
    const secret = await onIssue({ name: name.trim(), expires_at: endOfDay(expires) });
    return { title: `${noun} ${name.trim()}`, secrets: [secret] };
  };
  return (
    <FormButton {...button} small action="Issue" isReady={isReady && name.trim() !== ''} onOpen={open} onSubmit={issue}>
      {intro}
      <TextField label="Name" hint={nameHint} value={name} onChange={setName} maxLength={200} dir="auto" />
      {children}
      <TextField label="Valid until (optional)" type="date" value={expires} onChange={setExpires} />
    </FormButton>
  );
}

/** A name whose id is its tooltip. */
export function Named({ name, id }: { name: string; id: string }) {
  return (
    <span dir="auto" title={id}>
      {name}
    </span>
  );
}
