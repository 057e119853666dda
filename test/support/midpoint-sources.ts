/** The HR file of midPoint's tutorial. */
export const midpointHr = {
  type: 'csv',
  name: 'HR',
  priority: 10,
  records: 'user',
  config: {
    path: 'midpoint-tutorial-hr.csv',
    external_id: 'ident',
    fields: {
      employee_number: 'ident',
      first_name: 'firstname',
      last_name: 'lastname',
      email: 'email',
      'attributes.phone': 'phone',
    },
  },
};

/** The directory of the same tutorial; its records match by numbers, email addresses and names. */
export const midpointLdap = {
  type: 'csv',
  name: 'LDAP',
  priority: 20,
  records: 'account',
  config: {
    path: 'midpoint-tutorial-ldap.csv',
    external_id: 'dn',
    fields: {
      employee_number: 'employeeNumber',
      email: 'mail',
      identifier: 'uid',
      display_name: 'cn',
      first_name: 'givenName',
      last_name: 'sn',
    },
  },
};
