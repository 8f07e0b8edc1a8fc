"""How forms are drawn: one template for a field, one for a form, for all rooms."""

from django.forms.renderers import TemplatesSetting


class Renderer(TemplatesSetting):
    """Draw `{{ form }}` by templates/_form.html and each field by templates/_field.html."""

    form_template_name = "_form.html"
    field_template_name = "_field.html"
