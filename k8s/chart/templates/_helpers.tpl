{{- define "idsync.image" -}}
{{- $name := index . 0 }}{{ $root := index . 1 }}
{{- with $root.Values.image }}{{ .registry }}/{{ $name }}
{{- with index .digests $name }}@{{ . }}{{ else }}:{{ .tag | default $root.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "idsync.postgresqlHost" -}}
{{- $own := printf "postgresql-rw.%s.svc" .Release.Namespace -}}
{{- ternary $own .Values.postgresql.existing.host .Values.postgresql.enabled -}}
{{- end }}

{{- define "idsync.postgresqlPort" -}}
{{- ternary 5432 .Values.postgresql.existing.port .Values.postgresql.enabled -}}
{{- end }}

{{- /* The Secret whose ca.crt verifies the server; empty if the authority is a public one. */}}
{{- define "idsync.postgresqlAuthority" -}}
{{- ternary "postgresql-ca" .Values.postgresql.existing.authority .Values.postgresql.enabled -}}
{{- end }}

{{- define "idsync.postgresqlAddress" -}}
{{ include "idsync.postgresqlHost" . }}:{{ include "idsync.postgresqlPort" . }}/idsync?sslmode=verify-full
{{- if include "idsync.postgresqlAuthority" . }}&sslrootcert=/etc/idsync/postgresql/ca.crt{{ end }}
{{- end }}

{{- define "idsync.rabbitmqHost" -}}
{{- $existing := .Values.rabbitmq.existing -}}
{{- $own := printf "rabbitmq.%s.svc:5671" .Release.Namespace -}}
{{- ternary $own (printf "%s:%v" $existing.host $existing.port) .Values.rabbitmq.enabled -}}
{{- end }}

{{- define "idsync.rabbitmqAuthority" -}}
{{- ternary "rabbitmq-tls" .Values.rabbitmq.existing.authority .Values.rabbitmq.enabled -}}
{{- end }}

{{- define "idsync.rabbitmqAddress" -}}
{{ include "idsync.rabbitmqHost" . }}/
{{- if include "idsync.rabbitmqAuthority" . }}?cacertfile=/etc/idsync/rabbitmq/ca.crt{{ end }}
{{- end }}
