/** Texts that stand for a missing value, as lower-case letters and digits. */
export const placeholders = wordsOf(`
  na nil null none nan undefined unknown unset notset notapplicable notavailable notassigned unassigned notprovided
  notknown missing empty blank tbd tba tbc todo pending default dummy placeholder sample test testuser x xx xxx xxxx
  anonymous nobody noone noemail nomail nonumber noid noname noentry noaddress invalid error ref value
  nv wert bezug zahl div0 num ka siehe sieheoben wieoben dito ditto idem seeabove
  keine keiner kein unbekannt keineangabe ohne leer inconnu aucun desconocido ninguno nessuno onbekend geen
`);

/** Words in place of a first or last name: first and last name unknown, no middle name. */
export const noNames = wordsOf('fnu lnu nmn mnu');

/** Texts in place of an employee number, mostly for people without one. */
export const noNumbers = wordsOf(`
  nd ext extern external externe contractor contractors consultant consulting freelancer freelance temp temporary
  agency vendor supplier partner intern trainee apprentice azubi praktikant praktikantin auszubildender auszubildende
  werkstudent aushilfe leiharbeiter leiharbeiterin zeitarbeit neu stagiaire apprenti interim becario student visitor guest new newhire staff employee 999
`);

/** Placeholders that are no login or mailbox of a person. Other short ones, such as `na`, can be a name or initials. */
export const noLogins: ReadonlySet<string> = new Set(
  [...placeholders].filter((word) => word.length > 4 || word === 'null' || word === 'none' || word === 'test'),
);

/** Mailboxes and logins of a function, which several people use. */
export const roles = wordsOf(`
  info information office mail email mailbox inbox contact contactus kontakt hello welcome enquiries inquiries
  support help helpdesk servicedesk service services customerservice customercare feedback
  it itsupport ithelp ithelpdesk itservice itadmin edv noc soc security abuse
  admin admins administrator administrators administration sysadmin root superuser system daemon operator
  postmaster hostmaster webmaster mailerdaemon bounce bounces noreply donotreply
  hr humanresources personal personnel people payroll jobs job career careers recruiting recruitment bewerbung
  sales vertrieb marketing press presse media news newsletter events
  finance accounting accounts accountspayable accountsreceivable billing invoice invoices rechnung rechnungen
  buchhaltung purchasing procurement einkauf order orders shop legal compliance privacy gdpr datenschutz dpo
  reception empfang zentrale buero bureau accueil recepcion ventas direction direccion amministrazione
  lager werkstatt produktion versand verkauf warehouse workshop production shipping kasse till store
  frontdesk secretary sekretariat management team all allstaff everyone staff
  alert alerts monitoring notify notification notifications backup scan scanner printer fax shared sharedmailbox
  guest user users public webmail ftp serviceaccount svc
`);

/** Beginnings of mailboxes that belong to no person, as in `noreply-hr@`. */
export const rolePrefixes: readonly string[] = ['noreply', 'donotreply', 'mailerdaemon'];

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
