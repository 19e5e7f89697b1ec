update "album" as "t" set "title" = case when "x"."crud_row" ? 'title' then "x"."title" else "t"."title" end, "shelf" = case when "x"."crud_row" ? 'shelf' then "x"."shelf" else "t"."shelf" end, "facts" = case when "x"."crud_row" ? 'facts' then "x"."facts" else "t"."facts" end
from (with crud_given as materialized (select "crud_row", "crud_record"."id", "crud_record"."title", "crud_record"."shelf", "crud_record"."facts"
    from unnest(array(select jsonb_array_elements($1::text::jsonb))) as "crud_row", jsonb_populate_record((select "crud_type"
        from "album" as "crud_type"
        where false), "crud_row") as "crud_record") select *
  from crud_given) as "x"
where "t"."id" = "x"."id"
-- ["[{\"id\":111,\"title\":\"New\",\"shelf\":null},{\"id\":112,\"facts\":{\"c\":3}}]"]
