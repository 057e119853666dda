/** Path below the tenant of the screen that shows what a finding or an event is about; undefined without a screen. */
export function subjectPath(subjectId: string, identityId?: string): string | undefined {
  switch (subjectId.slice(0, 4)) {
    case 'mid_':
      return `/machines/${subjectId}`;
    case 'con_':
      return `/sources/${subjectId}`;
    case 'idn_':
      return `/people/${subjectId}`;
    case 'usr_':
      return identityId && `/people/${identityId}?view=records`;
    case 'acc_':
      return `/accounts/${subjectId}`;
    default:
      return undefined;
  }
}
