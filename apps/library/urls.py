"""The addresses of the library room, in the order a visitor meets them."""

from django.urls import path

from apps.library.views import (
    batches,
    categories,
    documents,
    folders,
    pages,
    receipts,
    recordings,
    searching,
    selection,
    uploads,
    viewer,
    workspaces,
)

app_name = "library"
urlpatterns = [
    path("search/", searching.search, name="search"),
    path("search/save/", searching.search_save, name="search_save"),
    path("search/<int:search_id>/delete/", searching.search_delete, name="search_delete"),
    path("search/again/", searching.search_again, name="search_again"),
    path("search/rule/learn/", searching.rule_learn, name="rule_learn"),
    path("search/rule/stop/", searching.rule_stop, name="rule_stop"),
    path("search/rule/", searching.search_rule, name="search_rule"),
    path("library/", documents.document_list, name="document_list"),
    path("library/upload/", uploads.document_upload, name="document_upload"),
    path("library/pages/add/", pages.page_add, name="page_add"),
    path("library/documents/<int:document_id>/refresh/", pages.page_refresh, name="page_refresh"),
    path("library/folders/", folders.folder_list, name="folder_list"),
    path("library/folders/new/", folders.folder_create, name="folder_create"),
    path("library/folders/<int:folder_id>/", folders.folder, name="folder"),
    path("library/folders/<int:folder_id>/look/", folders.folder_look, name="folder_look"),
    path("library/folders/<int:folder_id>/rules/", folders.folder_change, name="folder_change"),
    path("library/folders/<int:folder_id>/pause/", folders.folder_pause, name="folder_pause"),
    path(
        "library/folders/<int:folder_id>/receipt.csv",
        folders.folder_receipt,
        name="folder_receipt",
    ),
    path("library/folders/<int:folder_id>/remove/", folders.folder_remove, name="folder_remove"),
    path("library/samples/", uploads.sample_load, name="sample_load"),
    path("library/batches/<int:batch_id>/", batches.batch, name="batch"),
    path("library/batches/<int:batch_id>/figures/", batches.batch_figures, name="batch_figures"),
    path("library/batches/<int:batch_id>/receipt.csv", batches.batch_receipt, name="batch_receipt"),
    path(
        "library/documents/<int:document_id>/standing/",
        uploads.document_standing,
        name="document_standing",
    ),
    path("library/selection/move/", selection.selection_move, name="selection_move"),
    path("library/selection/retry/", selection.selection_retry, name="selection_retry"),
    path("library/selection/delete/", selection.selection_delete, name="selection_delete"),
    path("library/documents/<int:document_id>/", viewer.document, name="document"),
    path(
        "library/documents/<int:document_id>/pages/<int:number>.png",
        viewer.page_image,
        name="page_image",
    ),
    path(
        "library/documents/<int:document_id>/recording/",
        recordings.document_recording,
        name="document_recording",
    ),
    path(
        "library/documents/<int:document_id>/parts/",
        receipts.document_parts,
        name="document_parts",
    ),
    path("library/passages/<int:passage_id>/", viewer.passage, name="passage"),
    path(
        "library/documents/<int:document_id>/receipt/",
        documents.document_receipt,
        name="document_receipt",
    ),
    path(
        "library/documents/<int:document_id>/rename/",
        documents.document_rename,
        name="document_rename",
    ),
    path(
        "library/documents/<int:document_id>/move/", documents.document_move, name="document_move"
    ),
    path(
        "library/documents/<int:document_id>/retry/",
        documents.document_retry,
        name="document_retry",
    ),
    path(
        "library/documents/<int:document_id>/cancel/",
        documents.document_cancel,
        name="document_cancel",
    ),
    path(
        "library/documents/<int:document_id>/download/",
        documents.document_download,
        name="document_download",
    ),
    path(
        "library/documents/<int:document_id>/delete/",
        documents.document_delete,
        name="document_delete",
    ),
    path("library/categories/", categories.category_list, name="category_list"),
    path("library/categories/new/", categories.category_create, name="category_create"),
    path(
        "library/categories/<int:category_id>/rename/",
        categories.category_rename,
        name="category_rename",
    ),
    path(
        "library/categories/<int:category_id>/delete/",
        categories.category_delete,
        name="category_delete",
    ),
    path("library/workspaces/", workspaces.workspace_list, name="workspace_list"),
    path("library/workspaces/new/", workspaces.workspace_create, name="workspace_create"),
    path(
        "library/workspaces/<int:workspace_id>/open/",
        workspaces.workspace_switch,
        name="workspace_switch",
    ),
    path(
        "library/workspaces/<int:workspace_id>/rename/",
        workspaces.workspace_rename,
        name="workspace_rename",
    ),
    path(
        "library/workspaces/<int:workspace_id>/delete/",
        workspaces.workspace_delete,
        name="workspace_delete",
    ),
]
