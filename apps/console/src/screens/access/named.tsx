/** A name whose id is its tooltip. */
export function Named({ name, id }: { name: string; id: string }) {
  return (
    <span dir="auto" title={id}>
      {name}
    </span>
  );
}
